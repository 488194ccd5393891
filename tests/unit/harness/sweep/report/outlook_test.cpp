// Tests what is printed before a sweep begins.
#include <gmock/gmock.h>

#include "harness/sweep/report/progress.hpp"
#include "tests/golden/sample_results.hpp"

namespace graphbench::reporters {
namespace {

std::vector<model::WorkerTask> tasks(std::size_t count, std::size_t batches, double seconds) {
  model::WorkerTask task;
  task.batches.assign(batches, 1);
  task.settings.sampling.seconds_max = seconds;
  return std::vector<model::WorkerTask>(count, task);
}

TEST(Outlook, SaysHowMuchAndAboutHowLong) {
  EXPECT_EQ(outlook(324, tasks(36, 9, 0.15)), "324 cells, 36 processes, about 2 minutes");
  EXPECT_EQ(outlook(1, tasks(1, 1, 0.15)), "1 cell, 1 process, about 1 second");
  EXPECT_EQ(outlook(9, tasks(1000, 9, 3)), "9 cells, 1000 processes, about 8 hours");
  EXPECT_EQ(outlook(0, {}), "0 cells, 0 processes, about 1 second");
  std::vector<model::WorkerTask> loaded = tasks(1, 4, 0.15);
  loaded.front().settings.instruments.sustained_seconds = 15;
  EXPECT_EQ(outlook(4, loaded), "4 cells, 1 process, about 2 minutes");
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
}  // namespace graphbench::reporters
