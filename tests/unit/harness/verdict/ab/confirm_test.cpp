// What came out slower is measured again, and only what is slower twice stays so.
#include "harness/verdict/ab/confirm.hpp"

#include <gtest/gtest.h>

#include "tests/support/sample_plan.hpp"

namespace graphbench::ab {
namespace {

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

model::Plan plan() {
  model::Plan made;
  for (const char* mode : {"eager", "whole"}) made.tasks.push_back(test::sample_task(mode, {1, 2}));
  return made;
}

TEST(Confirm, MeasuresOnlyTheLaddersWithSomethingSlowerAgain) {
  const auto first = comparison({cell("eager", Verdict::same, 1), cell("whole", Verdict::slower, 1.1)});
  const model::Plan again = plan_to_confirm(plan(), first);
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

TEST(Confirm, TakesTheWordBackWhereItIsNotSlowerAgain) {
  auto first = comparison({cell("eager", Verdict::same, 1), cell("whole", Verdict::slower, 1.1)});
  apply_confirmation(first, comparison({cell("whole", Verdict::same, 1.001)}));
  const model::MetricComparison& metric = first.cells[1].metrics[0];
  EXPECT_EQ(metric.verdict, Verdict::inconclusive);
  EXPECT_EQ(metric.why, "slower at first (1.100x), but not when measured again (1.001x)");
  EXPECT_EQ(first.counts.slower, 0);
  EXPECT_EQ(first.counts.inconclusive, 1);
  EXPECT_EQ(first.verdict, Verdict::inconclusive);
  EXPECT_EQ(first.headline.find("slower (worst"), std::string::npos) << first.headline;
}

TEST(Confirm, TakesItBackWhereThereIsNoSecondMeasurement) {
  auto first = comparison({cell("whole", Verdict::slower, 1.1)});
  apply_confirmation(first, comparison({}));
  EXPECT_EQ(first.cells[0].metrics[0].verdict, Verdict::inconclusive);
}

}  // namespace
}  // namespace graphbench::ab
