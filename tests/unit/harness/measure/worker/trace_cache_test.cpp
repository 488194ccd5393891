// Tests what the cache of programs has for a step, and what the walk over a trace reports.
#include "harness/measure/worker/trace_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "graphs/abi/foreign_op.hpp"
#include "tests/support/foreign_op.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"
#include "tests/unit/harness/measure/worker/task_run_fixture.hpp"

namespace graphbench::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TraceCacheTest : public TaskRunTest {
 protected:
  void SetUp() override {
    TaskRunTest::SetUp();
    task_.workload = "attention";
    task_.pass = "training";
    task_.more_axes = {{"optimizer", "sgd"}};
    task_.settings.sampling.seconds_max = 0.01;
  }
  model::ShapeWalk walk(const std::vector<model::ShapeStep>& steps, std::int64_t programs_max = 8,
                        std::int64_t recordings_max = 64) {
    task_.settings.instruments.shape_trace = {"steps.txt", programs_max, steps, recordings_max};
    const ir::Program program = build_program(registry_, task_);
    device_ = open_device("host");
    TaskRig rig(task_, *device_, program);
    rig.allocate(2);
    return walk_shapes(
        task_, rig, traced(), [] {}, spans_);
  }
  TraceProgram traced() {
    return [this](std::int64_t sequence) {
      ++traces_;
      model::WorkerTask shaped = task_;
      if (sequence > 0) shaped.options["tokens"] = sequence;
      return build_program(registry_, shaped);
    };
  }
  static std::vector<std::string> outcomes(const model::ShapeWalk& walk) {
    std::vector<std::string> outcomes;
    for (const model::TracedStep& step : walk.traces) outcomes.push_back(step.outcome);
    return outcomes;
  }

  std::unique_ptr<Device> device_;
  std::vector<model::TraceSpan> spans_;
  int traces_ = 0;
};

TEST_F(TraceCacheTest, TracesASequenceLengthAndHitsAtEveryBatchSize) {
  for (const char* mode : {"whole", "piecewise"}) {
    task_.mode = mode;
    traces_ = 0;
    spans_.clear();
    const model::ShapeWalk made =
        walk({{4, 16}, {4, 16}, {2, 16}, {4, 16}, {2, 8}, {3, 16}, {2, 8}, {2, 16}});
    EXPECT_THAT(outcomes(made), ElementsAre("traced", "graph_hit", "program_hit", "graph_hit", "traced",
                                            "program_hit", "graph_hit", "graph_hit"));
    EXPECT_EQ(traces_, 2);
    EXPECT_EQ(made.programs, 2);
    EXPECT_EQ(made.recordings, 4);
    EXPECT_EQ(made.generations, 1);
    EXPECT_EQ(made.traces[0].signature, "b* s16");
    EXPECT_EQ(made.traces[0].reason, "the first step");
    EXPECT_EQ(made.traces[1].reason, "");
    EXPECT_EQ(made.traces[2].reason, "no kernels are kept for batch 2");
    EXPECT_EQ(made.traces[4].signature, "b* s8");
    EXPECT_EQ(made.traces[4].reason, "sequence 16 -> 8");
    EXPECT_EQ(made.traces[5].reason, "no kernels are kept for batch 3");
    EXPECT_EQ(made.traces[7].id, 8);
    EXPECT_GT(made.traces[0].ops, 100);
    EXPECT_GT(made.traces[4].trace_seconds.value(), 0);
    EXPECT_GT(made.traces[4].seconds, *made.traces[4].trace_seconds);
    EXPECT_FALSE(made.traces[2].trace_seconds.has_value());
    EXPECT_GT(made.hit_seconds.value(), 0);
    EXPECT_GT(made.replay_seconds.value(), 0);
    ASSERT_EQ(spans_.size(), 8u);
    EXPECT_EQ(spans_[4].name, "shape step 5 (b* s8, batch 2): traced");
  }
}

TEST_F(TraceCacheTest, RecordsAPathAgainWhoseMemoryALaterOneTook) {
  const model::ShapeWalk made = walk({{1, 16}, {8, 16}, {1, 16}, {8, 16}, {1, 16}});
  EXPECT_THAT(outcomes(made),
              ElementsAre("traced", "program_hit", "recorded_again", "graph_hit", "graph_hit"));
  EXPECT_EQ(made.traces[2].reason, "generation 1 -> 2: a later recording uses this one's memory");
  EXPECT_EQ(made.generations, 2);
  EXPECT_EQ(made.recordings, 3);
  const model::ShapeWalk alone = walk({{8, 16}});
  EXPECT_EQ(made.pool_bytes, alone.pool_bytes) << "the pool is what the largest path needs";
}

TEST_F(TraceCacheTest, GivesUpTheProgramUsedLongestAgoAtTheCap) {
  const model::ShapeWalk made = walk({{2, 16}, {2, 8}, {2, 16}, {2, 4}, {2, 16}, {2, 8}}, 2);
  EXPECT_THAT(outcomes(made), ElementsAre("traced", "traced", "graph_hit", "traced", "graph_hit", "traced"));
  EXPECT_EQ(made.traces[3].reason,
            "sequence 16 -> 4; the cap of 2 programs is reached: b* s8, the least recently used, is dropped");
  EXPECT_THAT(made.traces[5].reason, HasSubstr("sequence 16 -> 8; "));
  EXPECT_EQ(made.programs, 2);
}

TEST_F(TraceCacheTest, GivesUpTheRecordingUsedLongestAgoAtTheCap) {
  const model::ShapeWalk made = walk({{4, 16}, {2, 16}, {4, 16}, {2, 8}, {4, 16}, {2, 16}}, 8, 2);
  EXPECT_THAT(outcomes(made),
              ElementsAre("traced", "program_hit", "graph_hit", "traced", "graph_hit", "program_hit"));
  EXPECT_EQ(
      made.traces[3].reason,
      "sequence 16 -> 8; the cap of 2 recordings is reached: batch 2 of b* s16, the least recently used, is "
      "dropped");
  EXPECT_EQ(
      made.traces[5].reason,
      "no kernels are kept for batch 2; the cap of 2 recordings is reached: batch 2 of b* s8, the least "
      "recently used, is dropped");
  EXPECT_EQ(made.recordings_max, 2);
  EXPECT_EQ(made.recordings, 4);
  EXPECT_EQ(made.programs, 2) << "programs stay";
}

TEST_F(TraceCacheTest, EagerHasProgramsAlone) {
  task_.mode = "eager";
  const model::ShapeWalk made = walk({{2, 16}, {4, 16}, {2, 16}, {2, 8}});
  EXPECT_THAT(outcomes(made), ElementsAre("traced", "program_hit", "program_hit", "traced"));
  EXPECT_EQ(made.recordings, 0);
  EXPECT_EQ(made.pool_bytes, 0);
  EXPECT_FALSE(made.hit_seconds.has_value());
}

TEST_F(TraceCacheTest, ProgramsShareTheRigsParameters) {
  task_.settings.instruments.shape_trace = {"steps.txt", 8, {{2, 16}, {2, 8}}};
  const ir::Program program = build_program(registry_, task_);
  const std::unique_ptr<Device> device = open_device("host");
  TaskRig rig(task_, *device, program);
  rig.allocate(1);
  const auto digest = [&] {
    const ir::ValueId id = program.values_of(ir::ValueKind::parameter).front();
    rig.stream().synchronize();
    return device->digest(rig.stream(), rig.buffers().address(id), program.describe(id, 1).bytes() / 4 * 4);
  };
  const std::uint64_t before = digest();
  TraceCache cache(task_, rig, traced(), task_.settings.instruments.shape_trace);
  model::TracedStep step{};
  cache.submit({2, 16}, step);
  const std::uint64_t after = digest();
  EXPECT_NE(after, before);
  cache.submit({2, 8}, step);
  EXPECT_NE(digest(), after);
}

TEST_F(TraceCacheTest, NamesTheLineOfAStepThatCannotBe) {
  task_.more_axes = {{"micro-batches", "2"}, {"optimizer", "sgd"}};
  EXPECT_THAT(test::failure([&] { return walk({{2, 16, 1}, {3, 16, 4}}); }), HasSubstr("steps.txt:4: "));
}

int calls_of_two = 0;

// Correct except from the sixth call at batch 2 on. A path has four calls until it is checked: a warmup, the
// step, and two calls of the check.
int run_six_times(const gb_op_call* call, void* const* operands, void*) {
  const bool right = call->batch != 2 || ++calls_of_two < 6;
  std::fill_n(static_cast<float*>(operands[1]), call->batch, right ? 7.0f : static_cast<float>(calls_of_two));
  return 0;
}

TEST_F(TraceCacheTest, AHitIsCheckedOnceOtherPathsWereRecorded) {
  ir::OpCatalog catalog;
  catalog.add(abi::foreign_definition(test::foreign_op("mine", test::infer_same, run_six_times)));
  const auto program = [&](std::int64_t) {
    test::SmallBuilder b(catalog);
    return b.ending_in(b.one("mine", "m", {b.input("x", test::batched({}))}));
  };
  task_.more_axes = {};
  task_.settings.instruments.shape_trace = {"steps.txt", 8, {{2, {}, 1}, {1, {}, 2}, {2, {}, 3}}};
  const ir::Program first = program(0);
  const std::unique_ptr<Device> device = open_device("host");
  TaskRig rig(task_, *device, first);
  rig.allocate(2);
  const Error error = test::error_of([&] {
    return walk_shapes(
        task_, rig, program, [] {}, spans_);
  });
  EXPECT_EQ(error.code(), ErrorCode::check_failed);
  EXPECT_STREQ(error.what(), "steps.txt:3: check: output m differs from eager");
}

TEST_F(TraceCacheTest, WalksForwardStepsOfAWorkloadWithoutSequences) {
  task_.workload = "mlp";
  task_.pass = "forward";
  task_.more_axes = {};
  const model::ShapeWalk made = walk({{2, {}}, {4, {}}, {2, {}}});
  EXPECT_EQ(made.traces[0].signature, "b*");
  EXPECT_EQ(made.traces[1].outcome, "program_hit");
}

TEST_F(TraceCacheTest, ATaskWalksOnceWithItsLargestBatch) {
  task_.batches = {1, 2};
  task_.settings.instruments.shape_trace = {"steps.txt", 8, {{2, 16}, {2, 16}}};
  run(build_program(registry_, task_), nullptr, traced());
  ASSERT_EQ(events_.cells.at(2).status, model::CellStatus::ok);
  EXPECT_FALSE(events_.cells.at(1).shape_walk.has_value());
  EXPECT_THAT(outcomes(events_.cells.at(2).shape_walk.value()), ElementsAre("traced", "graph_hit"));
  EXPECT_EQ(traces_, 1);
}

}  // namespace
}  // namespace graphbench::measure
