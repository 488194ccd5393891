// Axes of the training pass beside its forms: what is recomputed, scaled or dropped, against steps that do
// without it.
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "graphs/ir/training/differentiate.hpp"
#include "tests/conformance/program_fixture.hpp"

namespace graphbench::conformance {
namespace {

using ir::ValueKind;

using LossScaleConformance = ProgramFixture;

// A power of two changes no digit of what is far from the ends of the dtype's range.
TEST_P(LossScaleConformance, LeavesWhatAnUnscaledStepLeavesAndGradientsTimesTheScale) {
  if (dtype() == ir::DType::fp16) GTEST_SKIP() << "fp16: small gradients lose digits without a scale";
  const ir::OpCatalog catalog;
  std::map<std::string, Bytes> left[2];
  for (const auto& [optimizer, clip] : {std::pair{ir::Optimizer::sgd, 0.0},
                                        {ir::Optimizer::sgd, 0.125},
                                        {ir::Optimizer::adamw, 0.0},
                                        {ir::Optimizer::adamw, 0.125}}) {
    const std::map<std::string, Bytes> before = std::exchange(left[0], {});
    left[1].clear();
    for (const bool scaled : {false, true}) {
      const ir::Program p = ir::differentiate(
          program(), catalog, {.optimizer = optimizer, .clip = clip, .loss_scale = scaled ? 1024.0 : 1.0});
      Rig rig(device(), stream(), p, 4);
      const auto executor = rig.prepare(mode(), 4);
      rig.reset(3);
      for (int i = 0; i < 3; ++i) executor->submit();
      const std::vector<ir::ValueId> results = p.results();
      const std::vector<Bytes> outputs = rig.outputs(*executor, 4);
      for (std::size_t i = 0; i < results.size(); ++i) {
        const double by = scaled && p.value(results[i]).kind == ValueKind::gradient ? 1024 : 1;
        std::vector<double> decoded = decode(outputs[i], p.describe(results[i], 4).dtype);
        for (double& each : decoded) each /= by;
        Bytes& bytes = left[scaled ? 1 : 0][p.value(results[i]).name];
        bytes.resize(decoded.size() * sizeof(double));
        std::memcpy(bytes.data(), decoded.data(), bytes.size());
      }
      for (const ir::ValueId id : ir::mutated_state(p)) {
        const std::string& name = p.value(id).name;
        const Bytes bytes = rig.read(rig.buffers().address(id), p.describe(id, 4).bytes());
        if (name == "optimizer.overflow") {
          EXPECT_EQ(bytes, Bytes(8));
        } else {
          left[scaled ? 1 : 0][name] = bytes;
        }
      }
    }
    EXPECT_EQ(left[1], left[0]) << "clip " << clip;
    EXPECT_NE(left[0], before) << "clip " << clip << " changed nothing";
  }
}

TEST_P(LossScaleConformance, AStepThatOverflowsUpdatesNothingAndTheScaleChangesWithoutACapture) {
  const ir::OpCatalog catalog;
  const ir::Program p =
      ir::differentiate(program(), catalog, {.optimizer = ir::Optimizer::adamw, .clip = 1, .loss_scale = 64});
  Rig rig(device(), stream(), p, 4);
  const auto executor = rig.prepare(mode(), 4);
  rig.reset(3);
  const auto state = [&] {
    std::map<std::string, Bytes> values;
    for (const ir::ValueId id : ir::mutated_state(p))
      values[p.value(id).name] = rig.read(rig.buffers().address(id), p.describe(id, 4).bytes());
    return values;
  };
  const auto overflow = [&] {
    std::int32_t words[2];
    std::memcpy(words, state().at("optimizer.overflow").data(), sizeof words);
    return std::pair(words[0], words[1]);
  };
  const auto others = [&] {
    std::map<std::string, Bytes> values = state();
    values.erase("optimizer.overflow");
    values.erase("optimizer.count");
    return values;
  };
  const auto set_scale = [&](float scale) {
    stream().copy_to_device(const_cast<void*>(rig.buffers().address(find(p, "loss.scale"))), &scale,
                            sizeof scale);
    stream().synchronize();
  };
  const std::map<std::string, Bytes> before = others();
  set_scale(INFINITY);
  for (int i = 0; i < 2; ++i) executor->submit();
  EXPECT_EQ(overflow(), std::pair(1, 2));
  EXPECT_EQ(others(), before);
  set_scale(64);
  executor->submit();
  EXPECT_EQ(overflow(), std::pair(0, 2));
  EXPECT_NE(others(), before);
  // The first step that counts: as a run that began with that scale has it.
  const std::map<std::string, Bytes> after = others();
  rig.reset(3);
  executor->submit();
  EXPECT_EQ(others(), after);
}

INSTANTIATE_TEST_SUITE_P(Devices, LossScaleConformance,
                         ::testing::Combine(::testing::ValuesIn(backends()),
                                            ::testing::Values(ExecutionMode::eager, ExecutionMode::whole),
                                            ::testing::Values(ir::DType::fp32, ir::DType::bf16,
                                                              ir::DType::fp16),
                                            ::testing::Values(small_programs()[0], small_programs()[1])),
                         name_of_program_parameter);

using DropoutConformance = ProgramFixture;

TEST_P(DropoutConformance, StepsHaveMasksOfTheirOwnAndThoseOfEagersSteps) {
  const ir::Program p = program();
  Rig rig(device(), stream(), p, 4);
  const auto executor = rig.prepare(mode(), 4);
  const auto steps = [&](execution::Executor& by) {
    std::vector<std::vector<Bytes>> outputs;
    rig.reset(3);
    for (int i = 0; i < 3; ++i) {
      by.submit();
      outputs.push_back(rig.outputs(by, 4));
    }
    return outputs;
  };
  const auto actual = steps(*executor);
  EXPECT_NE(actual[0], actual[1]);
  EXPECT_NE(actual[1], actual[2]);
  EXPECT_EQ(actual, steps(executor->eager()));
}

// Without an optimizer nothing but the masks changes from step to step.
std::vector<NamedProgram> with_dropout() {
  std::vector<NamedProgram> programs;
  for (const NamedProgram& forward : {base_programs()[0], base_programs()[3], small_programs()[0]}) {
    programs.push_back({"dropped_" + forward.name, [forward](const ir::OpCatalog& catalog, ir::DType dtype) {
                          return ir::differentiate(forward.build(catalog, dtype), catalog, {.dropout = 0.5});
                        }});
  }
  return programs;
}

INSTANTIATE_TEST_SUITE_P(Devices, DropoutConformance, graph_mode_parameters(with_dropout()),
                         name_of_program_parameter);

using CheckpointConformance = ProgramFixture;

// Ten steps of a program whose layers run again, and of the one that keeps everything.
TEST_P(CheckpointConformance, LeavesWhatAStepLeavesThatKeepsEverything) {
  const ir::OpCatalog catalog;
  using enum ir::Optimizer;
  const ir::TrainingOptions forms[] = {
      {.optimizer = sgd},
      {.optimizer = sgd, .dropout = 0.25},
      {.optimizer = adamw, .accumulate = ir::Accumulate::end, .micro_batches = 2, .clip = 1},
      {.optimizer = adamw, .backward = ir::Backward::callables, .optimizer_in = ir::OptimizerIn::backward},
      {.optimizer = sgd, .backward = ir::Backward::apart, .optimizer_in = ir::OptimizerIn::eager}};
  for (ir::TrainingOptions options : forms) {
    std::vector<std::pair<std::vector<Bytes>, std::vector<std::uint64_t>>> left;
    std::vector<std::int64_t> peaks;
    for (const ir::Checkpoint checkpoint : {ir::Checkpoint::none, ir::Checkpoint::layer}) {
      options.checkpoint = checkpoint;
      const ir::Program p = ir::differentiate(program(), catalog, options);
      Rig rig(device(), stream(), p, 4);
      const auto executor = rig.prepare(mode(), 4);
      rig.reset(3);
      for (int i = 0; i < 10; ++i) executor->submit();
      stream().synchronize();
      left.emplace_back(rig.outputs(*executor, 4), rig.state_digests());
      peaks.push_back(executor->counts().peak_bytes);
    }
    EXPECT_EQ(left[1], left[0]);
    EXPECT_LE(peaks[1], peaks[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Devices, CheckpointConformance,
    ::testing::Combine(::testing::ValuesIn(backends()),
                       ::testing::Values(ExecutionMode::eager, ExecutionMode::whole,
                                         ExecutionMode::piecewise),
                       ::testing::Values(ir::DType::fp32, ir::DType::bf16, ir::DType::fp16),
                       ::testing::Values(small_programs()[0], small_programs()[1], small_programs()[3],
                                         NamedProgram{"attending", attending})),
    name_of_program_parameter);

}  // namespace
}  // namespace graphbench::conformance
