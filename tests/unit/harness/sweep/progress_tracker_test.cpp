// Progress and the estimate of the time left.
#include <gtest/gtest.h>

#include "harness/sweep/cell_table.hpp"
#include "tests/support/sample_plan.hpp"

namespace graphbench::sweep {
namespace {

using namespace test;

class ProgressTrackerTest : public testing::Test {
 protected:
  const model::WorkerTask eager = sample_task("eager", {1, 2});
  const model::WorkerTask whole = sample_task("whole", {1, 2});
  ProgressTracker tracker{sample_plan({eager, eager, whole})};
};

TEST_F(ProgressTrackerTest, CountsWhatThereIsToDo) {
  const model::Progress progress = tracker.at(0, 0, 0);
  EXPECT_EQ(progress.cells_total, 6);
  EXPECT_EQ(progress.tasks_total, 3);
  EXPECT_EQ(progress.eta_seconds, std::nullopt);
}

TEST_F(ProgressTrackerTest, CountsWhatAnEarlierRunMeasuredAsDone) {
  ProgressTracker resumed{sample_plan({eager, eager, whole}), {whole}};
  const model::Progress progress = resumed.at(0, 4 + 1, 0);
  EXPECT_EQ(progress.cells_total, 6);
  EXPECT_EQ(progress.cells_done, 5);
  EXPECT_EQ(progress.tasks_total, 3);
  EXPECT_EQ(progress.tasks_done, 2);
}

TEST_F(ProgressTrackerTest, ShowsTheRunningWorkerAndItsPhase) {
  tracker.begin_task(eager, 0);
  tracker.phase(2, "measure");
  const model::Progress progress = tracker.at(1, 1, 0);
  EXPECT_EQ(progress.worker, "mlp fp32 eager w0");
  EXPECT_EQ(progress.phase, "measure");
  EXPECT_EQ(progress.batch, 2);
  EXPECT_EQ(progress.cells_done, 1);
}

TEST_F(ProgressTrackerTest, EstimatesByTheKindOfWorkerAndElseByAll) {
  tracker.begin_task(eager, 0);
  tracker.end_task(10);
  EXPECT_DOUBLE_EQ(*tracker.at(10, 2, 0).eta_seconds, 20);
  tracker.begin_task(whole, 10);
  EXPECT_DOUBLE_EQ(*tracker.at(14, 2, 0).eta_seconds, 6 + 10);
  tracker.end_task(30);
  EXPECT_DOUBLE_EQ(*tracker.at(30, 4, 0).eta_seconds, 10) << "the eager worker left takes what eager took";
}

TEST_F(ProgressTrackerTest, AWorkerThatTakesLongerThanExpectedAddsNoNegativeTime) {
  tracker.begin_task(eager, 0);
  tracker.end_task(1);
  tracker.begin_task(eager, 1);
  EXPECT_DOUBLE_EQ(*tracker.at(100, 2, 0).eta_seconds, 1);
}

}  // namespace
}  // namespace graphbench::sweep
