// Tests the order in which launches run, also cell by cell, and which launches are measured again.
#include "harness/judge/ab/schedule.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/sample_plan.hpp"

namespace graphbench::judge {
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

TEST(CellTasks, AreAnotherPlanThanWholeTasks) {
  const model::Plan whole = plan_of({1, 2});
  const model::Plan cells = one_cell_a_task(whole);
  EXPECT_TRUE(cells.facts.cell_processes);
  EXPECT_EQ(cells.facts.hash.size(), 64U);
  EXPECT_EQ(cells.facts.hash, one_cell_a_task(whole).facts.hash);
  model::Plan other = whole;
  other.facts.hash = "abd";
  EXPECT_NE(cells.facts.hash, one_cell_a_task(other).facts.hash);
}

TEST(CellTasks, OfSingleBatchesAreThePlanAsItWas) {
  const model::Plan cells = one_cell_a_task(plan_of({8}));
  EXPECT_FALSE(cells.facts.cell_processes);
  EXPECT_EQ(cells.facts.hash, "abc");
  EXPECT_EQ(cells.tasks.size(), 4U);
}

TEST(Schedule, MeasuresEveryLaunchOfEveryGroupOnceOnBothSidesNextToEachOther) {
  const auto runs = make_schedule(7, 5, 3);
  std::set<std::tuple<std::size_t, std::int64_t, Role>> seen;
  for (const auto& run : runs) seen.insert({run.group, run.launch, run.role});
  ASSERT_EQ(runs.size(), 70U);
  EXPECT_EQ(seen.size(), 70U);
  for (std::size_t i = 0; i < runs.size(); i += 2) {
    EXPECT_EQ(runs[i].group, runs[i + 1].group);
    EXPECT_EQ(runs[i].launch, runs[i + 1].launch);
  }
}

TEST(Schedule, LetsTheSidesOfAGroupTakeTurnsInGoingFirst) {
  const auto runs = make_schedule(6, 4, 11);
  std::set<Role> first_of_all;
  for (std::size_t group = 0; group < 6; ++group) {
    std::vector<Role> firsts;
    for (std::size_t i = 0; i < runs.size(); i += 2) {
      if (runs[i].group == group) firsts.push_back(runs[i].role);
    }
    ASSERT_EQ(firsts.size(), 4U);
    for (std::size_t launch = 1; launch < firsts.size(); ++launch)
      EXPECT_NE(firsts[launch], firsts[launch - 1]) << group;
    first_of_all.insert(firsts.front());
  }
  EXPECT_EQ(first_of_all.size(), 2U) << "a coin that always falls the same way";
}

TEST(Schedule, IsAnotherForAnotherSeedAndTheSameForTheSame) {
  EXPECT_EQ(make_schedule(8, 3, 1), make_schedule(8, 3, 1));
  EXPECT_NE(make_schedule(8, 3, 1), make_schedule(8, 3, 2));
}

TEST(Schedule, OrdersTheGroupsAnewInEveryLaunch) {
  const auto runs = make_schedule(8, 2, 1);
  std::vector<std::size_t> first;
  std::vector<std::size_t> second;
  for (const auto& run : runs) (run.launch == 0 ? first : second).push_back(run.group);
  EXPECT_NE(first, second);
}

using model::Verdict;

model::CellComparison cell(const std::string& mode, Verdict verdict, double ratio) {
  model::CellComparison made;
  made.id = model::id_of({"mlp", "tiny", "fp32", "forward", 2, 0, mode});
  model::MetricComparison metric;
  metric.verdict = verdict;
  metric.ratio = ratio;
  made.metrics = {metric};
  return made;
}

model::Comparison comparison(std::vector<model::CellComparison> cells) {
  model::Comparison made;
  made.cells = std::move(cells);
  for (const model::CellComparison& each : made.cells) {
    ++made.counts.compared;
    ++(each.metrics[0].verdict == Verdict::slower ? made.counts.slower : made.counts.same);
  }
  made.verdict = made.counts.slower > 0 ? Verdict::slower : Verdict::same;
  return made;
}

model::Plan scheduled_plan() {
  model::Plan made;
  for (const char* mode : {"eager", "whole"}) made.tasks.push_back(test::sample_task(mode, {1, 2}));
  return made;
}

TEST(UntilDecided, TasksWithSomethingUndecidedGoOn) {
  auto all = comparison({cell("eager", Verdict::same, 1), cell("whole", Verdict::inconclusive, 1)});
  EXPECT_EQ(undecided_groups(scheduled_plan().tasks, all), (std::vector<bool>{false, false}))
      << "what cannot be tested is not waited for";
  for (model::CellComparison& each : all.cells) each.metrics.front().p = 0.5;
  EXPECT_EQ(undecided_groups(scheduled_plan().tasks, all), (std::vector<bool>{false, true}));
}

TEST(Confirm, MeasuresOnlyTheTasksWithSomethingSlowerAgain) {
  const auto first = comparison({cell("eager", Verdict::same, 1), cell("whole", Verdict::slower, 1.1)});
  const model::Plan again = plan_to_confirm(scheduled_plan(), first);
  ASSERT_EQ(again.tasks.size(), 1U);
  EXPECT_EQ(again.tasks[0].mode, "whole");
  EXPECT_EQ(again.tasks[0].batches.size(), 2U);
}

TEST(Confirm, KeepsWhatIsSlowerTwice) {
  auto first = comparison({cell("whole", Verdict::slower, 1.1)});
  apply_confirmation(first, comparison({cell("whole", Verdict::slower, 1.09)}));
  EXPECT_EQ(first.cells[0].metrics[0].verdict, Verdict::slower);
  EXPECT_EQ(first.counts.slower, 1);
  EXPECT_EQ(first.verdict, Verdict::slower);
}

TEST(Confirm, TakesTheWordBackWhereItIsNotSlowerAgainOrNotMeasuredAgain) {
  auto first = comparison({cell("eager", Verdict::same, 1), cell("whole", Verdict::slower, 1.1)});
  apply_confirmation(first, comparison({cell("whole", Verdict::same, 1.001)}));
  const model::MetricComparison& metric = first.cells[1].metrics[0];
  EXPECT_EQ(metric.verdict, Verdict::inconclusive);
  EXPECT_EQ(metric.why, "slower at first (1.100x), but not when measured again (1.001x)");
  EXPECT_EQ(first.counts.slower, 0);
  EXPECT_EQ(first.counts.inconclusive, 1);
  EXPECT_EQ(first.verdict, Verdict::inconclusive);
  EXPECT_EQ(first.headline.find("slower (worst"), std::string::npos) << first.headline;
  auto once = comparison({cell("whole", Verdict::slower, 1.1)});
  apply_confirmation(once, comparison({}));
  EXPECT_EQ(once.cells[0].metrics[0].verdict, Verdict::inconclusive) << "there is no second measurement";
}

model::Comparison with_a_mean(Verdict verdict, double ratio) {
  model::Comparison made = comparison({cell("eager", Verdict::same, 1), cell("whole", Verdict::same, 1)});
  model::MeanComparison& mean = made.means.emplace_back();
  mean.mode = "whole";
  mean.metric.verdict = verdict;
  mean.metric.ratio = ratio;
  made.counts.means_slower = verdict == Verdict::slower ? 1 : 0;
  return made;
}

TEST(Confirm, MeasuresAModeWhoseMeanIsSlowerAgain) {
  auto first = with_a_mean(Verdict::slower, 1.1);
  const model::Plan again = plan_to_confirm(scheduled_plan(), first);
  ASSERT_EQ(again.tasks.size(), 1U);
  EXPECT_EQ(again.tasks[0].mode, "whole");
  auto kept = first;
  apply_confirmation(kept, with_a_mean(Verdict::slower, 1.09));
  EXPECT_EQ(kept.counts.means_slower, 1);
  EXPECT_EQ(kept.verdict, Verdict::slower);
  apply_confirmation(first, with_a_mean(Verdict::same, 1.001));
  EXPECT_EQ(first.means[0].metric.why, "slower at first (1.100x), but not when measured again (1.001x)");
  EXPECT_EQ(first.counts.means_slower, 0);
  EXPECT_EQ(first.counts.means_inconclusive, 1);
  EXPECT_EQ(first.verdict, Verdict::same);
}

}  // namespace
}  // namespace graphbench::judge
