// Makes each field of a plugin's record wrong in turn: the registry must name the field and add nothing.
#include <gmock/gmock.h>

#include <ostream>

#include "tests/unit/graphs/abi/abi_fixture.hpp"

namespace graphbench::abi {
namespace {

struct Spoiling {
  const char* name;
  void (*spoil)(RecordFixture&);
  const char* expected;
};

void PrintTo(const Spoiling& spoiling, std::ostream* out) {
  *out << spoiling.name;
}

class SpoiltRecord : public ::testing::TestWithParam<Spoiling> {};

TEST_P(SpoiltRecord, IsRefusedByNameAndLeavesNothingBehind) {
  RecordFixture fixture;
  GetParam().spoil(fixture);
  const Outcome outcome = outcome_of([&] { fixture.add(); });
  EXPECT_THAT(outcome.message, ::testing::StartsWith("plugin demo.so: "));
  EXPECT_THAT(outcome.message, ::testing::HasSubstr(GetParam().expected));
  EXPECT_EQ(outcome.message.find('\n'), std::string::npos);
  EXPECT_EQ(outcome.code, ErrorCode::plugin_failed);
  EXPECT_TRUE(fixture.registry.workloads().empty());
  EXPECT_EQ(fixture.registry.catalog().find("demo_op"), nullptr);
}

const Spoiling kSpoilings[] = {
    {"OlderVersion", [](auto& f) { f.plugin.abi_version = 1; },
     "ABI version 1, but this graphbench has version 2"},
    {"NewerVersion", [](auto& f) { f.plugin.abi_version = 3; },
     "ABI version 3, but this graphbench has version 2"},
    {"PluginSize", [](auto& f) { f.plugin.struct_size = 47; },
     "gb_plugin.struct_size is 47, but ABI version 2 takes 48 to 4096"},
    {"PluginName", [](auto& f) { f.plugin.name = nullptr; }, "name is null"},
    {"PluginVersion", [](auto& f) { f.plugin.version = "1\n2"; }, "version '1?2'"},
    {"NullWorkloads", [](auto& f) { f.plugin.workloads = nullptr; }, "workloads is null"},
    {"NullWorkload", [](auto& f) { f.workloads[0] = nullptr; }, "entry of gb_plugin.workloads is null"},
    {"NegativeWorkloads", [](auto& f) { f.plugin.workload_count = -1; }, "workload_count is -1"},
    {"WildOps", [](auto& f) { f.plugin.op_count = 1 << 30; }, "op_count is 1073741824"},
    {"NullOps", [](auto& f) { f.plugin.ops = nullptr; }, "ops is null"},
    {"NullOp", [](auto& f) { f.ops[0] = nullptr; }, "entry of gb_plugin.ops is null"},
    {"Empty", [](auto& f) { f.plugin.workload_count = f.plugin.op_count = 0; },
     "no workload, op, pass or step"},
    {"WorkloadTwice",
     [](auto& f) {
       f.workloads.push_back(&f.workload);
       f.plugin.workloads = f.workloads.data();
       f.plugin.workload_count = 2;
     },
     "workload 'demo' is listed twice"},
    {"OpTwice",
     [](auto& f) {
       f.ops.push_back(&f.op);
       f.plugin.ops = f.ops.data();
       f.plugin.op_count = 2;
     },
     "op 'demo_op' is listed twice"},
    {"WorkloadSize", [](auto& f) { f.workload.struct_size = 12; }, "gb_workload.struct_size is 12"},
    {"WorkloadName", [](auto& f) { f.workload.name = "Demo Two"; }, "workload name 'Demo Two'"},
    {"WorkloadNoName", [](auto& f) { f.workload.name = nullptr; }, "workload name is null"},
    {"WorkloadHelp", [](auto& f) { f.workload.help = nullptr; }, "workload 'demo': help is null"},
    {"NoBuild", [](auto& f) { f.workload.build = nullptr; }, "build is null"},
    {"NullOptions", [](auto& f) { f.workload.options = nullptr; }, "options is null"},
    {"OptionKey", [](auto& f) { f.options[0].key = "a=b"; }, "option key 'a=b'"},
    {"OptionHelp", [](auto& f) { f.options[0].help = "\x1B"; }, "option help '?'"},
    {"OptionTwice", [](auto& f) { f.options[1].key = "width"; }, "option 'width' is listed twice"},
    {"OptionMin", [](auto& f) { f.options[0].min = 0; }, "'width' has bounds [0, 100]"},
    {"OptionMax", [](auto& f) { f.options[1].max = 1; }, "'depth' has bounds [2, 1]"},
    {"NoPreset", [](auto& f) { f.workload.preset_count = 0; }, "no preset"},
    {"NullPresets", [](auto& f) { f.workload.presets = nullptr; }, "presets is null"},
    {"PresetName", [](auto& f) { f.presets[0].name = ""; }, "preset name ''"},
    {"PresetTwice", [](auto& f) { f.presets[1].name = "base"; }, "preset 'base' is listed twice"},
    {"PresetValues", [](auto& f) { f.presets[1].values = nullptr; }, "preset 'tiny' has no values"},
    {"PresetBelow", [](auto& f) { f.tiny[1] = 1; }, "preset 'tiny' sets depth to 1: give a value in [2, 9]"},
    {"PresetAbove", [](auto& f) { f.base[0] = 101; }, "preset 'base' sets width to 101"},
    {"OpSize", [](auto& f) { f.op.struct_size = 0; }, "gb_op.struct_size is 0"},
    {"OpKind", [](auto& f) { f.op.kind = "Demo"; }, "op kind 'Demo'"},
    {"OpBuiltInKind", [](auto& f) { f.op.kind = "linear"; }, "op kind 'linear' already exists in graphbench"},
    {"OpFlags", [](auto& f) { f.op.flags = 4; }, "flags is 4"},
    {"OpWildSize", [](auto& f) { f.op.struct_size = 1u << 30; }, "struct_size is 1073741824"},
    {"WorkloadReserved", [](auto& f) { f.workload.reserved = 1; }, "gb_workload.reserved is not 0"},
    {"HostOpWithoutHostFunction",
     [](auto& f) {
       f.op.flags = GB_OP_HOST;
       f.op.run_host = nullptr;
       f.op.launch_cuda = [](const gb_op_call*, void* const*, void*, void*) { return 0; };
     },
     "run_host of a host op (GB_OP_HOST) is null"},
    {"OpGradientName", [](auto& f) { f.op.gradient = "De mo"; }, "gradient 'De mo'"},
    {"OpGradientOfNothing", [](auto& f) { f.op.gradient = "demo_grad"; },
     "op 'demo_op': gradient_inputs is 0: set the bit of each input whose gradient demo_grad computes"},
    {"OpGradientInputsAlone", [](auto& f) { f.op.gradient_inputs = 2; }, "gradient is null"},
    {"OpGradientElsewhere",
     [](auto& f) {
       f.op.gradient = "linear_grad_input";
       f.op.gradient_inputs = 1;
     },
     "op 'demo_op': gradient 'linear_grad_input': the gradient must be the kind of another op of this "
     "plugin"},
    {"OpGradientOfItself",
     [](auto& f) {
       f.op.gradient = "demo_op";
       f.op.gradient_inputs = 1;
     },
     "the gradient must be the kind of another op of this plugin"},
    {"OpInfer", [](auto& f) { f.op.infer = nullptr; }, "infer is null"},
    {"OpRunsNowhere", [](auto& f) { f.op.run_host = nullptr; }, "launch_cuda and run_host are both null"},
};

INSTANTIATE_TEST_SUITE_P(Records, SpoiltRecord, ::testing::ValuesIn(kSpoilings),
                         [](const auto& spoiling) { return spoiling.param.name; });

// The record as a later header of the same ABI version may define it: with a field appended.
template <typename Record>
struct Newer {
  explicit Newer(const Record& older) : record(older) { record.struct_size = sizeof(Newer); }
  Record record;
  std::uint64_t appended = 0;
};

struct StepFixture {
  const char* modes[2] = {"whole", "library.replay"};
  gb_step step = {.struct_size = sizeof(gb_step),
                  .mode_count = 2,
                  .name = "demo_step",
                  .help = "a step",
                  .modes = modes,
                  .open = [](const gb_step_request*, void**, char*, std::size_t, void*) { return 0; },
                  .parts = [](void*, std::uint8_t*, std::int32_t, char*, std::size_t) { return 1; },
                  .run = [](void*, std::int32_t, char*, std::size_t) { return 0; },
                  .capture = nullptr,
                  .fill = [](void*, std::uint64_t, char*, std::size_t) { return 0; },
                  .outputs = [](void*, const gb_step_output**, char*, std::size_t) { return 0; },
                  .report = nullptr,
                  .close = [](void*) {},
                  .user = nullptr,
                  .state = nullptr,
                  .check = nullptr,
                  .rows = nullptr,
                  .narrow = nullptr,
                  .drop = nullptr,
                  .run_by_modules = nullptr};
  const gb_step* steps[2] = {&step, &step};
  RecordFixture record;
  WorkloadRegistry& registry = record.registry;

  Outcome add() {
    record.plugin.steps = steps;
    if (record.plugin.step_count == 0) record.plugin.step_count = 1;
    return outcome_of([&] { record.add(); });
  }
};

TEST(StepRecord, IsAWorkloadWithModesOfItsOwn) {
  StepFixture fixture;
  EXPECT_EQ(fixture.add().message, "");
  ASSERT_NE(fixture.registry.step("demo_step"), nullptr);
  EXPECT_EQ(fixture.registry.step("demo"), nullptr);
  EXPECT_THAT(fixture.registry.workloads().back().modes,
              ::testing::ElementsAre("eager", "whole", "library.replay"));
  const BuildChoice choice{.preset = "own", .options = {}};
  EXPECT_THAT(outcome_of([&] { fixture.registry.build("demo_step", choice); }).message,
              ::testing::HasSubstr("demo_step is a foreign step and has no program"));
}

TEST(StepRecord, IsCheckedFieldByField) {
  const auto refused = [](void (*spoil)(StepFixture&), const char* text) {
    StepFixture fixture;
    spoil(fixture);
    EXPECT_THAT(fixture.add().message, ::testing::HasSubstr(text));
    EXPECT_TRUE(fixture.registry.workloads().empty());
  };
  refused([](auto& f) { f.step.struct_size = 8; }, "gb_step.struct_size is 8");
  refused([](auto& f) { f.step.name = "My Step"; }, "step name 'My Step'");
  refused([](auto& f) { f.step.name = "demo"; }, "workload 'demo' is listed twice");
  refused([](auto& f) { f.step.help = nullptr; }, "help is null");
  refused([](auto& f) { f.step.mode_count = -1; }, "mode_count is -1");
  refused([](auto& f) { f.step.modes = nullptr; }, "modes is null");
  refused([](auto& f) { f.modes[0] = "eager"; }, "mode 'eager' must be whole, piecewise or LIBRARY.NAME");
  refused([](auto& f) { f.modes[1] = "whole"; }, "mode 'whole' is listed twice");
  refused([](auto& f) { f.step.open = nullptr; }, "open is null");
  refused([](auto& f) { f.step.parts = nullptr; }, "parts is null");
  refused([](auto& f) { f.step.run = nullptr; }, "run is null");
  refused([](auto& f) { f.step.fill = nullptr; }, "fill is null");
  refused([](auto& f) { f.step.outputs = nullptr; }, "outputs is null");
  refused([](auto& f) { f.step.close = nullptr; }, "close is null");
  refused([](auto& f) { f.steps[0] = nullptr; }, "an entry of gb_plugin.steps is null");
  refused([](auto& f) { f.record.plugin.step_count = 2; }, "workload 'demo_step' is listed twice");
}

struct NewerRecords {
  NewerRecords() {
    fixture.workloads = {&workload.record};
    fixture.ops = {&op.record};
    plugin.record.workloads = fixture.workloads.data();
    plugin.record.ops = fixture.ops.data();
  }
  std::string refusal() {
    return outcome_of([&] { registry.add(plugin.record, "demo.so"); }).message;
  }
  RecordFixture fixture;
  Newer<gb_workload> workload{fixture.workload};
  Newer<gb_op> op{fixture.op};
  Newer<gb_plugin> plugin{fixture.plugin};
  WorkloadRegistry registry;
};

TEST(Records, LargerStructsOfANewerHeaderAreTakenWhereTheirNewFieldsAreZero) {
  NewerRecords newer;
  EXPECT_EQ(newer.refusal(), "");
  EXPECT_EQ(newer.registry.workloads().size(), 1u);
}

TEST(Records, AFieldThatIsNotKnownHereIsRefusedWhereItIsUsed) {
  const auto expect_refused = [](const char* record, void (*use)(NewerRecords&)) {
    NewerRecords newer;
    use(newer);
    EXPECT_THAT(newer.refusal(),
                ::testing::AllOf(::testing::HasSubstr(record), ::testing::HasSubstr("does not know")));
    EXPECT_TRUE(newer.registry.workloads().empty());
  };
  expect_refused("gb_plugin", [](auto& n) { n.plugin.appended = 1; });
  expect_refused("gb_workload", [](auto& n) { n.workload.appended = 1; });
  expect_refused("gb_op", [](auto& n) { n.op.appended = std::uint64_t{1} << 63; });
}

struct WithGradient : RecordFixture {
  WithGradient() {
    gradient.kind = "demo_grad";
    op.gradient = gradient.kind;
    op.gradient_inputs = 5;
    ops = {&op, &gradient};
    plugin.ops = ops.data();
    plugin.op_count = 2;
  }
  gb_op gradient = op;
};

TEST(Records, AnOpNamesTheKindOfItsGradient) {
  WithGradient fixture;
  fixture.add();
  const ir::OpDefinition* definition = fixture.registry.catalog().find("demo_op");
  ASSERT_NE(definition, nullptr);
  EXPECT_EQ(definition->gradient, "demo_grad");
  EXPECT_THAT(definition->gradient_inputs, ::testing::ElementsAre(0u, 2u));
  EXPECT_TRUE(fixture.registry.catalog().find("demo_grad")->gradient.empty());
}

TEST(Records, AGradientThatWritesItsInputsIsRefused) {
  WithGradient fixture;
  fixture.gradient.mutated_inputs = 1;
  EXPECT_THAT(outcome_of([&] { fixture.add(); }).message,
              ::testing::HasSubstr("gradient 'demo_grad': the gradient op's mutated_inputs must be 0"));
}

TEST(Records, AnOpOfTheFirstHeaderOfThisVersionHasNoGradient) {
  WithGradient fixture;
  fixture.op.struct_size = offsetof(gb_op, gradient);
  fixture.add();
  EXPECT_TRUE(fixture.registry.catalog().find("demo_op")->gradient.empty());
}

TEST(Records, AWorkloadMayHaveNoOptions) {
  RecordFixture fixture;
  fixture.workload.options = nullptr;
  fixture.workload.option_count = 0;
  fixture.presets[0].values = fixture.presets[1].values = nullptr;
  fixture.add();
  EXPECT_TRUE(fixture.registry.workloads().at(0).options.empty());
}

TEST(Records, APluginMayBringOpsAlone) {
  RecordFixture fixture;
  fixture.plugin.workloads = nullptr;
  fixture.plugin.workload_count = 0;
  fixture.add();
  EXPECT_NE(fixture.registry.catalog().find("demo_op"), nullptr);
}

TEST(Records, AnOpsFlagsAndWriteSetReachTheCatalog) {
  RecordFixture fixture;
  fixture.op.flags = GB_OP_HOST | GB_OP_NOT_CAPTURABLE;
  fixture.op.mutated_inputs = (1ull << 63) | 2u;
  fixture.add();
  const ir::OpDefinition* definition = fixture.registry.catalog().find("demo_op");
  ASSERT_NE(definition, nullptr);
  EXPECT_EQ(definition->foreign->run_host, fixture.op.run_host);
  EXPECT_TRUE(definition->traits.host_op);
  EXPECT_FALSE(definition->traits.capturable);
  EXPECT_THAT(definition->mutated_inputs, ::testing::ElementsAre(1u, 63u));
}

}  // namespace
}  // namespace graphbench::abi
