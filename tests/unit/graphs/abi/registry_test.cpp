// Tests the registry of workloads: its answers, how a preset and options become the values that build()
// sees, and allowed names. Also tests the structure and refusals of the built-in workloads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "graphs/abi/text.hpp"
#include "graphs/ir/epilogues.hpp"
#include "graphs/ir/passes.hpp"
#include "tests/unit/graphs/abi/abi_fixture.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::abi {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Registry : public ::testing::Test {
 protected:
  Registry() {
    fixture_.body = [this](const gb_build_request& request, gb_builder* builder, const gb_builder_api& api) {
      dtype_ = request.dtype;
      pass_ = request.pass;
      for (std::int32_t i = 0; i < request.option_count; ++i) {
        keys_.emplace_back(request.options[i].key);
        values_.push_back(request.options[i].value);
      }
      api.fail(builder, "seen");
      return 1;
    };
    registry_.add(fixture_.plugin, "demo.so");
  }

  Outcome build(const BuildChoice& choice, const char* workload = "demo") {
    return outcome_of([&] { registry_.build(workload, choice); });
  }

  void expect_rejected(const Outcome& outcome, const ::testing::Matcher<std::string>& text) {
    EXPECT_THAT(outcome.message, text);
    EXPECT_EQ(outcome.code, ErrorCode::invalid_argument);
    EXPECT_TRUE(keys_.empty()) << "build() was called";
  }

  RecordFixture fixture_;
  WorkloadRegistry registry_;
  std::int32_t dtype_ = -1;
  std::string pass_;
  std::vector<std::string> keys_;
  std::vector<std::int64_t> values_;
};

TEST_F(Registry, DescribesItsWorkloads) {
  const std::vector<WorkloadInfo> infos = registry_.workloads();
  ASSERT_EQ(infos.size(), 1u);
  EXPECT_EQ(infos[0].name, "demo");
  EXPECT_EQ(infos[0].help, "a demo");
  EXPECT_EQ(infos[0].plugin, "demo.so");
  ASSERT_EQ(infos[0].options.size(), 2u);
  EXPECT_EQ(infos[0].options[1].key, "depth");
  EXPECT_EQ(infos[0].options[1].max, 9);
  ASSERT_EQ(infos[0].presets.size(), 2u);
  EXPECT_EQ(infos[0].presets[1].name, "tiny");
  EXPECT_EQ(infos[0].presets[1].values.at("width"), 5);
}

TEST_F(Registry, APresetGivesEveryOptionAValueInDeclaredOrder) {
  build({.preset = "base", .dtype = ir::DType::bf16, .pass = "forward", .options = {}});
  EXPECT_THAT(keys_, ::testing::ElementsAre("width", "depth"));
  EXPECT_THAT(values_, ::testing::ElementsAre(50, 4));
  EXPECT_EQ(dtype_, GB_BF16);
  EXPECT_EQ(pass_, "forward");
}

TEST_F(Registry, OverridesReplaceThePresetsValues) {
  build({.preset = "tiny", .dtype = ir::DType::fp16, .pass = "forward", .options = {{"width", 77}}});
  EXPECT_THAT(values_, ::testing::ElementsAre(77, 2));
  EXPECT_EQ(dtype_, GB_FP16);
}

TEST_F(Registry, WhatIsUnknownIsAnsweredWithThoseThereAre) {
  expect_rejected(build({.preset = "tiny"}, "nope"), AllOf(HasSubstr("'nope'"), HasSubstr("demo")));
  expect_rejected(build({.preset = "huge"}), AllOf(HasSubstr("preset 'huge'"), HasSubstr("base, tiny")));
  expect_rejected(build({.preset = "tiny", .options = {{"heads", 2}}}),
                  AllOf(HasSubstr("option 'heads'"), HasSubstr("width, depth")));
  expect_rejected(build({.preset = "tiny", .pass = "backward"}),
                  AllOf(HasSubstr("pass 'backward'"), HasSubstr("give forward or training")));
}

TEST_F(Registry, AValueOutsideItsOptionsBoundsOrADtypeOfIntegersIsRejected) {
  for (const std::int64_t value : {1, 10, -4}) {
    expect_rejected(build({.preset = "tiny", .options = {{"depth", value}}}),
                    HasSubstr("depth=" + std::to_string(value) + " is out of range: give 2 to 9"));
  }
  expect_rejected(build({.preset = "tiny", .dtype = ir::DType::i32}), HasSubstr("dtype i32"));
}

TEST_F(Registry, AWorkloadIsToldThatItsProgramIsToBeTrained) {
  build({.preset = "tiny", .pass = "training"});
  EXPECT_EQ(pass_, "training");
}

TEST_F(Registry, ANameTakenBeforeIsRefusedAndNothingOfThePluginAdded) {
  RecordFixture workload, op;
  workload.op.kind = "second_op";
  op.workload.name = "second";
  EXPECT_THAT(outcome_of([&] { registry_.add(workload.plugin, "second.so"); }).message,
              HasSubstr("plugin second.so: workload 'demo' already exists in demo.so"));
  EXPECT_THAT(outcome_of([&] { registry_.add(op.plugin, "third.so"); }).message,
              HasSubstr("op kind 'demo_op' already exists in another plugin"));
  EXPECT_EQ(registry_.catalog().find("second_op"), nullptr);
  EXPECT_EQ(registry_.workloads().size(), 1u);
}

TEST(Text, NamesAreShortLowerCaseWords) {
  for (const char* name : {"mlp", "tiny-prefill", "rope_kv_append", "a1"}) EXPECT_TRUE(is_name(name)) << name;
  for (const char* name : {"", "Mlp", "1a", "-a", "a b", "a/b", "a,b", "a=b", "\xC3\xA9"}) {
    EXPECT_FALSE(is_name(name)) << name;
  }
  EXPECT_TRUE(is_name(std::string(64, 'a')));
  EXPECT_FALSE(is_name(std::string(65, 'a')));
}

TEST(Text, LinesHoldUtf8AndNoControlCharacters) {
  for (const char* line : {"", "plain", "\xC3\xA9t\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    EXPECT_TRUE(is_line(line)) << line;
  }
  for (const char* line : {"a\nb", "a\tb", "\x1B[31m", "\x7F", "\xC2\x9B", "\xC3", "\x80", "\xFF"}) {
    EXPECT_FALSE(is_line(line)) << line;
  }
}

TEST(Text, OverlongFormsAndSurrogatesAreNoUtf8) {
  for (const char* line : {"\xC0\xAF", "\xE0\x82\xA9", "\xF0\x8F\xBF\xBF", "\xE0\x80\xAF", "\xF0\x80\x80\xAF",
                           "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_FALSE(is_line(line));
  }
}

TEST(Text, PrintableReplacesWhatATerminalWouldActOn) {
  EXPECT_EQ(printable("two\nlines \x1B[0m \xFF end"), "two?lines ?[0m ? end");
  EXPECT_EQ(printable("\xC3\xA9"), "\xC3\xA9");
}

TEST(Text, PrintableCutsLongTextBetweenCharacters) {
  const std::string cut = printable("x" + std::string(300, 'a') + [] {
    std::string accents;
    for (int i = 0; i < 300; ++i) accents += "\xC3\xA9";
    return accents;
  }());
  EXPECT_TRUE(cut.ends_with("\xC3\xA9..."));
  EXPECT_LE(cut.size(), 515u);
  EXPECT_TRUE(is_line(cut.substr(0, cut.size() - 3)));
}

WorkloadRegistry builtin() {
  WorkloadRegistry registry;
  workloads::add_builtin(registry);
  return registry;
}

class Builtin : public ::testing::Test {
 protected:
  ir::Program build(const char* workload, const char* preset,
                    std::map<std::string, std::int64_t> options = {}, ir::DType dtype = ir::DType::fp32) {
    return registry_.build(
        workload, {.preset = preset, .dtype = dtype, .pass = "forward", .options = std::move(options)});
  }

  static std::int64_t count(const ir::Program& program, std::string_view kind) {
    return std::ranges::count_if(program.ops(), [&](const ir::Op& op) { return op.kind == kind; });
  }

  static std::int64_t pieces(const ir::Program& program) { return pieces(program, program.default_splits()); }
  static std::int64_t pieces(const ir::Program& program, const std::vector<std::string>& splits) {
    return std::ranges::count_if(ir::partition(program, splits), &ir::Segment::captured);
  }

  static std::vector<std::string> eager_ops(const ir::Program& program) {
    std::vector<std::string> names;
    for (const ir::Segment& segment : ir::partition(program, program.default_splits())) {
      for (ir::OpId id = segment.first; !segment.captured && id < segment.last; ++id)
        names.push_back(program.ops()[id].name);
    }
    return names;
  }

  static ir::TensorDesc only(const ir::Program& program, ir::ValueKind kind, std::int64_t batch) {
    const std::vector<ir::ValueId> ids = program.values_of(kind);
    return program.describe(ids.at(0), batch);
  }

  WorkloadRegistry registry_ = builtin();
};

TEST_F(Builtin, EveryPresetBuildsInEveryFloatingDtype) {
  for (const WorkloadInfo& info : registry_.workloads()) {
    EXPECT_EQ(info.plugin, "builtin");
    for (const WorkloadPreset& preset : info.presets) {
      for (const ir::DType dtype : {ir::DType::fp32, ir::DType::fp16, ir::DType::bf16}) {
        const ir::Program program = build(info.name.c_str(), preset.name.c_str(), {}, dtype);
        EXPECT_EQ(only(program, ir::ValueKind::output, 3).dtype, dtype) << program.name();
        EXPECT_TRUE(ir::mutated_inputs(program).empty()) << program.name();
        EXPECT_EQ(ir::partition(program, {}).size(), 1u) << program.name();
      }
    }
  }
}

TEST_F(Builtin, EveryWorkloadHasBaseAndTiny) {
  ASSERT_FALSE(registry_.workloads().empty());
  for (const WorkloadInfo& info : registry_.workloads()) {
    for (const char* wanted : {"base", "tiny"}) {
      EXPECT_TRUE(
          std::ranges::any_of(info.presets, [&](const auto& preset) { return preset.name == wanted; }))
          << info.name << " " << wanted;
    }
  }
}

TEST_F(Builtin, MlpIsEightLayersInEightPiecesBetweenItsNorms) {
  const ir::Program program = build("mlp", "base");
  EXPECT_EQ(count(program, "rmsnorm"), 8);
  EXPECT_EQ(count(program, "linear"), 16);
  EXPECT_EQ(count(program, "boundary"), 7);
  EXPECT_EQ(pieces(program), 8);
  EXPECT_THAT(eager_ops(program), AllOf(SizeIs(8), Each(EndsWith(".norm"))));
  EXPECT_EQ(pieces(program, {"boundary"}), 8);
  EXPECT_THAT(only(program, ir::ValueKind::input, 5).dims, ::testing::ElementsAre(5, 1024));
  EXPECT_THAT(only(program, ir::ValueKind::output, 5).dims, ::testing::ElementsAre(5, 1024));
}

// Fusing the split epilogues gives the original program again, except for the names of the products.
TEST_F(Builtin, EpiloguesTakenApartAndJoinedAreTheProgramMadeByHand) {
  const auto built = [&](const char* workload, const char* epilogues) {
    return registry_.build(workload, {.preset = "base", .options = {}, .axes = {{"epilogues", epilogues}}});
  };
  const auto listed = [](const ir::Program& program) {
    std::vector<std::string> ops;
    for (const ir::Op& op : program.ops()) {
      ops.push_back(op.name.ends_with(".product") ? op.name.substr(0, op.name.size() - 8) : op.name);
      for (const ir::ValueId input : op.inputs) ops.back() += " " + ir::to_string(program.value(input).shape);
      for (const char* flag : {"bias", "residual"}) {
        if (op.attributes.contains(flag)) ops.back() += std::string(" ") + flag;
      }
    }
    return ops;
  };
  for (const char* workload : {"mlp", "attention", "conv"}) {
    const ir::Program by_hand = built(workload, "on"), apart = built(workload, "off");
    EXPECT_GT(apart.ops().size(), by_hand.ops().size()) << workload;
    EXPECT_EQ(listed(ir::with_epilogues(apart, registry_.catalog())), listed(by_hand)) << workload;
    EXPECT_EQ(listed(built(workload, "joined")), listed(by_hand)) << workload;
  }
}

TEST_F(Builtin, DecodeIsNinePiecesAroundEightAttentionOps) {
  const ir::Program program = build("attention", "base");
  EXPECT_EQ(count(program, "sdpa"), 8);
  EXPECT_EQ(pieces(program), 9);
  EXPECT_EQ(program.default_splits(), std::vector<std::string>{"sdpa"});
  EXPECT_EQ(ir::mutated_state(program).size(), 16u);
  EXPECT_THAT(only(program, ir::ValueKind::state, 3).dims, ::testing::ElementsAre(3, 16, 1024, 64));
  EXPECT_THAT(only(program, ir::ValueKind::output, 3).dims, ::testing::ElementsAre(3, 1024));
}

TEST_F(Builtin, DecodeWritesTheLastSlotAndIsNotCausal) {
  const ir::Program program = build("attention", "tiny");
  const auto inputs = program.values_of(ir::ValueKind::input);
  const ir::Value& positions = program.value(inputs.at(1));
  EXPECT_EQ(positions.name, "positions");
  EXPECT_EQ(positions.dtype, ir::DType::i32);
  EXPECT_EQ(positions.init.low, 63.0);
  for (const ir::Op& op : program.ops()) {
    if (op.kind != "sdpa") continue;
    EXPECT_EQ(ir::integer_attribute(op, "causal"), 0);
  }
}

TEST_F(Builtin, PrefillIsCausalFromTheStartOfTheCache) {
  const ir::Program program = build("attention", "prefill");
  EXPECT_THAT(only(program, ir::ValueKind::input, 2).dims, ::testing::ElementsAre(256, 1024));
  EXPECT_EQ(program.value(program.values_of(ir::ValueKind::input).at(1)).init.low, 0.0);
  for (const ir::Op& op : program.ops()) {
    if (op.kind != "sdpa") continue;
    EXPECT_EQ(ir::integer_attribute(op, "causal"), 1);
  }
}

TEST_F(Builtin, ConvIsEightBlocksInEightPiecesAheadOfTheirSecondConvolutions) {
  const ir::Program program = build("conv", "base");
  EXPECT_EQ(count(program, "conv2d"), 16);
  EXPECT_EQ(count(program, "boundary"), 7);
  EXPECT_EQ(pieces(program), 8);
  EXPECT_THAT(eager_ops(program), AllOf(SizeIs(8), Each(EndsWith(".conv2"))));
  EXPECT_EQ(pieces(program, {"boundary"}), 8);
  EXPECT_THAT(only(program, ir::ValueKind::output, 2).dims, ::testing::ElementsAre(2, 56, 56, 64));
}

TEST_F(Builtin, OneLayerHasNoBoundaryAndIsOnePieceAndOneOp) {
  for (const ir::Program& program :
       {build("mlp", "tiny", {{"layers", 1}}), build("conv", "tiny", {{"blocks", 1}})}) {
    EXPECT_EQ(count(program, "boundary"), 0);
    EXPECT_EQ(pieces(program), 1);
    EXPECT_THAT(eager_ops(program), SizeIs(1));
  }
}

TEST_F(Builtin, AttentionRefusesSizesThatDoNotFitTogether) {
  const auto refusal = [&](std::map<std::string, std::int64_t> options) {
    return outcome_of([&] { build("attention", "tiny", std::move(options)); }).message;
  };
  EXPECT_THAT(refusal({{"heads", 3}}),
              AllOf(HasSubstr("workload attention: "), HasSubstr("hidden=64"), HasSubstr("heads=3")));
  EXPECT_THAT(refusal({{"hidden", 60}}), AllOf(HasSubstr("head_dim=15"), HasSubstr("even")));
  EXPECT_THAT(refusal({{"tokens", 65}}), AllOf(HasSubstr("tokens=65"), HasSubstr("cache=64")));
  EXPECT_EQ(refusal({{"tokens", 64}}), "");
}

}  // namespace
}  // namespace graphbench::abi
