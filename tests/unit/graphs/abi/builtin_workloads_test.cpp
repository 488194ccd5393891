// The built-in workloads as programs: their structure in every preset and dtype, and their refusals.
#include <gmock/gmock.h>

#include <algorithm>

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

  // Those that piecewise launches between the pieces, where the program says.
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
        EXPECT_EQ(ir::first_uncapturable(program), nullptr) << program.name();
      }
    }
  }
}

TEST_F(Builtin, EveryWorkloadHasBaseAndTiny) {
  ASSERT_EQ(registry_.workloads().size(), 3u);
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

// What was taken off the products is what joining puts back: name by name, but for the products' own.
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
