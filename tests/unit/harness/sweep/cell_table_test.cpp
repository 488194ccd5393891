// Tests how launches merge into cells, what is lost when a worker dies, progress and the remaining time.
#include "harness/sweep/cell_table.hpp"

#include <gtest/gtest.h>

#include "graphs/base/error.hpp"
#include "tests/support/sample_plan.hpp"

namespace graphbench::sweep {
namespace {

using namespace test;
using model::CellStatus;

model::CellResult failed_cell(const model::WorkerTask& task, std::int64_t batch, const std::string& code) {
  model::CellResult result{};
  result.cell = cell_of(task, batch);
  result.status = CellStatus::failed;
  result.reason = model::Reason{code, "because"};
  return result;
}

class CellTableTest : public testing::Test {
 protected:
  const model::WorkerTask first = sample_task("whole", {1, 2}, 0);
  const model::WorkerTask second = sample_task("whole", {1, 2}, 1);
  CellTable table{sample_plan({first, second})};
  void report(const model::WorkerTask& task, const std::vector<model::CellResult>& cells) {
    table.begin_task(task);
    for (const model::CellResult& cell : cells) table.add_cell(cell);
  }
};

TEST_F(CellTableTest, LaunchesOfACellAccumulate) {
  report(first, {ok_cell(first, 2)});
  report(second, {ok_cell(second, 2)});
  const model::CellResult& cell = table.cells()[1];
  EXPECT_EQ(cell.status, CellStatus::ok);
  ASSERT_EQ(cell.launches.size(), 2u);
  EXPECT_EQ(cell.launches[0].index, 0);
  EXPECT_EQ(cell.launches[1].index, 1);
  EXPECT_EQ(table.cells()[0].status, CellStatus::pending);
}

TEST_F(CellTableTest, WhatAnExecCostsIsTheFirstLaunchsAndAllElseOfMemoryTheLastOnes) {
  report(first, {ok_cell(first, 2)});
  model::Memory said{};
  said.pool_bytes = 20;
  said.exec_bytes = 5000;
  said.exec_resolution_bytes = 200;
  table.add_memory(2, said);
  report(second, {ok_cell(second, 2)});
  said = {};
  said.pool_bytes = 30;
  table.add_memory(2, said);
  const model::Memory& memory = *table.cells()[1].memory;
  EXPECT_EQ(memory.pool_bytes, 30);
  EXPECT_EQ(memory.exec_bytes, 5000);
  EXPECT_EQ(memory.exec_resolution_bytes, 200);
}

TEST_F(CellTableTest, HowOpsWereComputedIsKeptFromEveryLaunch) {
  const model::OpPath fused{"linear+rmsnorm:fused", "", 7}, cudnn{"conv2d:cudnn", "", 2};
  model::CellResult cell = ok_cell(first, 2);
  cell.paths = {fused};
  report(first, {cell});
  table.begin_task(second);
  cell.paths = {fused, cudnn};
  table.add_cell(cell);
  EXPECT_EQ(table.cells()[1].paths, (std::vector<model::OpPath>{fused, cudnn}));
}

TEST_F(CellTableTest, CountersAreThoseOfTheFirstLaunchWhicheverEndsFirst) {
  const auto add = [](CellTable& to, const model::WorkerTask& task, std::int64_t captured) {
    model::CellResult cell = ok_cell(task, 2);
    cell.counters.emplace().captured = captured;
    to.begin_task(task);
    to.add_cell(cell);
  };
  add(table, second, 9);
  add(table, first, 5);
  EXPECT_EQ(table.cells()[1].counters->captured, 5);
  CellTable other{sample_plan({first, second})};
  add(other, first, 5);
  add(other, second, 9);
  EXPECT_EQ(other.cells()[1].counters->captured, 5);
}

TEST_F(CellTableTest, WhatLaunchesHadOfTheCacheIsAddedUp) {
  model::CellResult cell = ok_cell(first, 2);
  report(first, {ok_cell(first, 1)});
  cell.cache = model::CacheUse{.hits = 0, .misses = 3, .refused = 1, .bytes = 100, .seconds_saved = 0};
  table.add_cell(cell);
  table.begin_task(second);
  cell = ok_cell(second, 2);
  cell.cache = model::CacheUse{.hits = 3, .misses = 0, .refused = 0, .bytes = 50, .seconds_saved = 1.5};
  table.add_cell(cell);
  const model::CacheUse sum = table.cells()[1].cache.value();
  EXPECT_EQ(sum.hits, 3);
  EXPECT_EQ(sum.misses, 3);
  EXPECT_EQ(sum.refused, 1);
  EXPECT_EQ(sum.bytes, 150);
  EXPECT_EQ(sum.seconds_saved, 1.5);
  EXPECT_FALSE(table.cells()[0].cache);
}

TEST_F(CellTableTest, FailedWinsOverOkInEitherOrderAndKeepsItsReason) {
  report(first, {ok_cell(first, 1), failed_cell(first, 2, "out_of_memory")});
  report(second, {failed_cell(second, 1, "io"), ok_cell(second, 2)});
  EXPECT_EQ(table.cells()[0].status, CellStatus::failed);
  EXPECT_EQ(table.cells()[0].reason->code, "io");
  EXPECT_EQ(table.cells()[1].status, CellStatus::failed);
  EXPECT_EQ(table.cells()[1].reason->code, "out_of_memory");
  EXPECT_EQ(table.cells()[1].launches.size(), 1u);
}

TEST_F(CellTableTest, ACellIsDoneWhenItsLastLaunchIsInHoweverItEnded) {
  report(first, {ok_cell(first, 1), ok_cell(first, 2)});
  EXPECT_TRUE(table.done_beside_task().empty());
  report(second, {ok_cell(second, 2)});
  ASSERT_EQ(table.done_beside_task().size(), 1u);
  EXPECT_EQ(table.done_beside_task()[0].cell.batch, 2);
  table.fail_unreported({"worker_crashed", "SIGSEGV"});
  ASSERT_EQ(table.done_beside_task().size(), 2u);
  EXPECT_EQ(table.done_beside_task()[0].status, CellStatus::failed);
}

TEST_F(CellTableTest, CellsOfOtherModesAreBesideATaskAndOthersAreNot) {
  const model::WorkerTask eager = sample_task("eager", {1});
  model::WorkerTask warm = sample_task("eager", {1});
  warm.warmup = 3;
  CellTable mixed(sample_plan({eager, warm, first}));
  for (const model::WorkerTask& task : {eager, warm}) {
    mixed.begin_task(task);
    mixed.add_cell(ok_cell(task, 1));
  }
  mixed.begin_task(first);
  mixed.add_cell(ok_cell(first, 1));
  const std::vector<model::CellResult> done = mixed.done_beside_task();
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].cell, cell_of(eager, 1));
  EXPECT_EQ(done[1].cell, cell_of(first, 1));
}

TEST_F(CellTableTest, TheFirstOfTwoReasonsStays) {
  report(first, {failed_cell(first, 1, "io")});
  report(second, {failed_cell(second, 1, "internal")});
  EXPECT_EQ(table.cells()[0].reason->code, "io");
}

TEST_F(CellTableTest, AWorkerThatDiesFailsOnlyWhatItHadNotReported) {
  report(first, {ok_cell(first, 2)});
  EXPECT_EQ(table.fail_unreported({"worker_crashed", "SIGSEGV"}), 1);
  EXPECT_EQ(table.cells()[1].status, CellStatus::ok);
  EXPECT_EQ(table.cells()[0].status, CellStatus::failed);
  EXPECT_EQ(table.cells()[0].reason->message, "SIGSEGV");
  EXPECT_EQ(table.measurements(), 2);
  EXPECT_EQ(table.failures(), 1);
  EXPECT_EQ(table.fail_unreported({"worker_crashed", "again"}), 0);
}

TEST_F(CellTableTest, ACheckMustHoldInEveryLaunch) {
  model::CellResult identical = ok_cell(first, 1);
  identical.check = model::Check{.reference = "eager",
                                 .identical = true,
                                 .max_abs_error = 0,
                                 .tolerated = {},
                                 .state = {},
                                 .inputs = {},
                                 .remarks = {}};
  model::CellResult different = ok_cell(second, 1);
  different.check = model::Check{.reference = "eager",
                                 .identical = false,
                                 .max_abs_error = 0.5,
                                 .tolerated = {},
                                 .state = {},
                                 .inputs = {},
                                 .remarks = {}};
  report(first, {different});
  report(second, {identical});
  EXPECT_FALSE(table.cells()[0].check->identical);
  EXPECT_EQ(table.cells()[0].check->max_abs_error, 0.5);
}

TEST_F(CellTableTest, AnErrorThatIsNotFiniteStays) {
  const auto checked = [](const model::WorkerTask& task, double error) {
    model::CellResult cell = ok_cell(task, 1);
    cell.check = model::Check{.reference = "eager",
                              .identical = false,
                              .max_abs_error = error,
                              .tolerated = {},
                              .state = {},
                              .inputs = {},
                              .remarks = {}};
    return cell;
  };
  const double none = std::numeric_limits<double>::quiet_NaN();  // as null is read
  report(first, {checked(first, none)});
  report(second, {checked(second, 0.5)});
  EXPECT_TRUE(std::isnan(table.cells()[0].check->max_abs_error));
}

TEST_F(CellTableTest, MemoryMayFollowItsCell) {
  report(first, {ok_cell(first, 1)});
  model::Memory said{};
  said.pool_bytes = 20;
  table.add_memory(1, said);
  EXPECT_EQ(table.cells()[0].memory->pool_bytes, 20);
  EXPECT_THROW(table.reported(2), Error) << "it is owed";
  EXPECT_THROW(table.reported(3), Error) << "it is not of the task";
}

TEST_F(CellTableTest, ACellThatIsNotOwedIsRefused) {
  report(first, {ok_cell(first, 1)});
  EXPECT_THROW(table.add_cell(ok_cell(first, 1)), Error) << "reported twice";
  EXPECT_THROW(table.add_cell(ok_cell(first, 3)), Error) << "not in the task";
  EXPECT_THROW(table.add_cell(ok_cell(sample_task("eager", {1}), 2)), Error) << "another task's";
  model::CellResult pending = ok_cell(first, 2);
  pending.status = CellStatus::pending;
  EXPECT_THROW(table.add_cell(pending), Error) << "no outcome";
}

TEST_F(CellTableTest, InterruptionSkipsWhatNobodyMeasured) {
  report(first, {ok_cell(first, 1)});
  table.skip_pending();
  EXPECT_EQ(table.cells()[0].status, CellStatus::ok);
  EXPECT_EQ(table.cells()[1].status, CellStatus::skipped);
  EXPECT_EQ(table.cells()[1].reason->code, "interrupted");
}

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
