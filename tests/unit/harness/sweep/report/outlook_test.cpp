// Tests what is printed before a sweep begins.
#include <gmock/gmock.h>

#include "harness/sweep/plan/shards.hpp"
#include "harness/sweep/report/progress.hpp"
#include "tests/golden/sample_results.hpp"

namespace graphbench::sweep {
namespace {

std::vector<model::WorkerTask> tasks(std::size_t count, std::size_t batches, double seconds) {
  model::WorkerTask task;
  task.batches.assign(batches, 1);
  task.settings.sampling.seconds_max = seconds;
  return std::vector<model::WorkerTask>(count, task);
}

TEST(Outlook, SaysHowMuchAndAboutHowLong) {
  EXPECT_EQ(plan_in_words(324, 36), "324 cells, 36 processes");
  EXPECT_EQ(plan_in_words(1, 1), "1 cell, 1 process");
  EXPECT_EQ(about(estimated_seconds(tasks(36, 9, 0.15))), "2 minutes");
  EXPECT_EQ(about(estimated_seconds(tasks(1, 1, 0.15))), "1 second");
  EXPECT_EQ(about(estimated_seconds(tasks(1000, 9, 3))), "8 hours");
  EXPECT_EQ(about(0), "1 second");
  std::vector<model::WorkerTask> loaded = tasks(1, 4, 0.15);
  loaded.front().settings.instruments.sustained_seconds = 15;
  EXPECT_EQ(about(estimated_seconds(loaded)), "2 minutes");
}

TEST(Outlook, SaysWhichResultIsReplaced) {
  model::Result head = samples::small_result();
  head.started_at = "2026-11-25T14:52:01Z";
  head.environment.device.name = "an\nH200";
  EXPECT_EQ(result_in_words(head, 12), "the result of 2026-11-25T14:52:01Z (12 cells of mlp on an H200)");
  head.complete = false;
  EXPECT_THAT(result_in_words(head, 12), testing::HasSubstr(", interrupted)"));
}

}  // namespace
}  // namespace graphbench::sweep
