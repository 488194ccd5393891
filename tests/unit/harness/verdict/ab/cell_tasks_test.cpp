// Ladders become single cells, and the plan says that something else is measured.
#include "harness/verdict/ab/cell_tasks.hpp"

#include <gtest/gtest.h>

#include "tests/support/sample_plan.hpp"

namespace graphbench::ab {
namespace {

model::WorkerTask task_of(const std::string& mode, std::vector<std::int64_t> batches, std::int64_t launch) {
  model::WorkerTask task = test::sample_task(mode, std::move(batches), launch);
  task.warmup = 3;
  return task;
}

model::Plan plan_of(std::vector<std::int64_t> batches) {
  model::Plan plan;
  plan.facts.hash = "abc";
  plan.facts.launches = 2;
  for (const std::int64_t launch : {0, 1}) {
    for (const char* mode : {"eager", "whole"}) plan.tasks.push_back(task_of(mode, batches, launch));
  }
  return plan;
}

TEST(CellTasks, GiveEveryBatchATaskOfItsOwnWithAllElseAsItWas) {
  const model::Plan cells = one_cell_a_task(plan_of({4, 2, 1}));
  ASSERT_EQ(cells.tasks.size(), 2U * 2U * 3U);
  for (std::size_t i = 0; i < cells.tasks.size(); ++i) {
    EXPECT_EQ(cells.tasks[i].batches, std::vector<std::int64_t>{std::vector<std::int64_t>({4, 2, 1})[i % 3]});
    EXPECT_EQ(cells.tasks[i].launch, static_cast<std::int64_t>(i / 6));
    EXPECT_EQ(cells.tasks[i].mode, i / 3 % 2 == 0 ? "eager" : "whole");
    EXPECT_EQ(cells.tasks[i].warmup, 3);
  }
}

TEST(CellTasks, AreAnotherPlanThanLadders) {
  const model::Plan ladders = plan_of({1, 2});
  const model::Plan cells = one_cell_a_task(ladders);
  EXPECT_TRUE(cells.facts.cell_processes);
  EXPECT_EQ(cells.facts.hash.size(), 64U);
  EXPECT_EQ(cells.facts.hash, one_cell_a_task(ladders).facts.hash);
  model::Plan other = ladders;
  other.facts.hash = "abd";
  EXPECT_NE(cells.facts.hash, one_cell_a_task(other).facts.hash);
}

TEST(CellTasks, OfSingleBatchesAreThePlanAsItWas) {
  const model::Plan cells = one_cell_a_task(plan_of({8}));
  EXPECT_FALSE(cells.facts.cell_processes);
  EXPECT_EQ(cells.facts.hash, "abc");
  EXPECT_EQ(cells.tasks.size(), 4U);
}

}  // namespace
}  // namespace graphbench::ab
