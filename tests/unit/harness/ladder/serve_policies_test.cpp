// Tests ladders on the host device whose sizes warm up by requests, are tuned separately, or share an exec.
#include "harness/ladder/route.hpp"
#include "tests/unit/harness/ladder/serve_fixture.hpp"

namespace graphbench::ladder {
namespace {

TEST_F(Serve, FirstRequestsAreServedEagerlyAsWarmupsWhereThatIsAskedFor) {
  ServeTask task = task_of("attention", "piecewise", {2, 4, 8}, "uniform:1:4", 40);
  task.rows.push_back(7);  // one request of size 8, which is never captured
  task.task.warmup = 3;
  task.placements = 2;
  task.policy.when = CaptureWhen::lazy;
  task.policy.warmup_by = WarmupBy::requests;
  const LadderLaunch launch = serve_task(task).launch;
  EXPECT_EQ(launch.steps.warming, 3 + 3 + 1);
  EXPECT_EQ(launch.steps.captured_now, 2);
  EXPECT_EQ(launch.stalls.count, 2);
  EXPECT_EQ(launch.first_requests.value().count, 2) << "8 has no step time to compare with";
  for (const LadderSize& each : launch.sizes) {
    EXPECT_EQ(each.warmups, each.size == 8 ? 1 : 3);
    EXPECT_EQ(each.uses, each.size == 8 ? 0 : 17);
    EXPECT_EQ(each.step_seconds.has_value(), each.size != 8);
  }
  EXPECT_FALSE(launch.predicted_seconds.has_value()) << "an eager step of 8 was not timed";
}

TEST_F(Serve, RunsAreCountedByWhetherTheirSizeIsTunedAndCaptured) {
  ServeTask task = task_of("mlp", "whole", {2, 4}, "uniform:1:8", 80);
  EXPECT_FALSE(serve_task(task).launch.tuning.has_value());
  task.task.settings.caller.tune_sizes = {2, 5};
  const LadderTuning tuning = serve_task(task).launch.tuning.value();
  EXPECT_EQ(tuning.tuned_captured, 20);
  EXPECT_EQ(tuning.general_captured, 20);
  EXPECT_EQ(tuning.tuned_eager, 10);
  EXPECT_EQ(tuning.general_eager, 30);
}

TEST_F(Serve, SizesOfOneTopologyLaunchOneExecThatIsUpdatedWhereTheSizeChanges) {
  for (const std::string mode : {"whole", "piecewise"}) {
    ServeTask task = task_of("attention", mode, {1, 2, 4, 8}, "uniform:1:8", 80);
    EXPECT_FALSE(serve_task(task).launch.execs.has_value());
    task.policy.exec = ExecOf::shared;
    task.placements = 2;
    const ServeAnswer answer = serve_task(task);
    EXPECT_TRUE(answer.check.value().identical) << "each size's own graph ran";
    const LadderExecs execs = answer.launch.execs.value();
    EXPECT_EQ(execs.groups, 1);
    std::int64_t changes = 0;
    std::int64_t last = 1;  // the size that was captured last, because captures begin with the largest
    for (const std::int64_t rows : task.rows) {
      const std::int64_t size = route(task.sizes, rows, task.policy)->captured;
      changes += size != last ? 1 : 0;
      last = size;
    }
    EXPECT_EQ(execs.updates, changes);
    EXPECT_GT(execs.update_seconds.value(), 0);
    EXPECT_FALSE(execs.bytes_saved.has_value()) << "the host has no driver that says";
  }
}

}  // namespace
TEST_F(Serve, GraphsAreDestroyedAndMadeAgainWhereTheirNumberIsLimited) {
  for (const bool lazy : {false, true}) {
    ServeTask task = task_of("mlp", "whole", {2, 4}, "uniform:1:9", 12);
    task.placements = 2;
    task.policy.beyond = LadderBeyond::split;
    task.policy.graphs_max = 1;
    if (lazy) task.policy.when = CaptureWhen::lazy;
    const Tally expected = tally(task.rows, task.sizes, task.policy, "");
    const ServeAnswer answer = serve_task(task);
    EXPECT_EQ(answer.launch.steps, expected.steps);
    EXPECT_GT(answer.launch.steps.captured_now, 1);
    EXPECT_GE(answer.launch.evictions.value().count, answer.launch.steps.captured_now - (lazy ? 1 : 0));
    EXPECT_GE(answer.launch.stalls.count, answer.launch.steps.captured_now);
    EXPECT_TRUE(answer.launch.predicted_seconds.has_value());
    EXPECT_FALSE(answer.launch.memory.line_bytes.has_value());
    EXPECT_TRUE(answer.check.value().identical);
    for (const LadderSize& size : answer.launch.sizes) EXPECT_TRUE(size.step_seconds.has_value());
  }
}

}  // namespace graphbench::ladder
