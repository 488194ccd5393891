// Tests comparisons of runs that are looked at more than once.
#include <gmock/gmock.h>

#include "harness/judge/compare/compare.hpp"
#include "harness/judge/compare/judge.hpp"

namespace graphbench::judge {
namespace {

using model::Verdict;
using testing::HasSubstr;

constexpr double alpha_of_looks = 0.05;

// Interleaved launches of one cell: changes[i] is the time of NEW over that of BASE in launch i.
Sides sides(const std::vector<double>& changes, std::vector<std::int64_t> looks) {
  Sides made;
  for (Side* side : {&made.base, &made.now}) {
    side->facts.interleaved = "run";
    side->facts.looks = looks;
    DocumentCell& cell = side->cells.emplace_back();
    cell.id = "mlp/base/bf16/forward/b1/w3/whole";
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const double change = side == &made.now ? changes[i] : 1;
      cell.launches.push_back(
          {static_cast<std::int64_t>(i),
           {{model::Metric::latency, 1e-4 * change * (1 + 1e-4 * static_cast<double>(i % 3))}}});
    }
  }
  return made;
}

model::MetricComparison compared(const Sides& sides, bool goes_on = false) {
  model::ComparisonSettings settings;
  settings.more_looks = goes_on;
  return compare(sides.base, sides.now, settings).cells.front().metrics.front();
}

// The first look spends alpha * ln(1 + (e - 1) / 4), worked out by hand. All looks together spend alpha.
TEST(Looks, SpendTheErrorRateOnce) {
  EXPECT_NEAR(level_at(alpha_of_looks, planned_looks, 0, true), alpha_of_looks * 0.357374, 1e-7);
  double sum = 0;
  for (std::size_t i = 0; i < planned_looks.size(); ++i)
    sum += level_at(alpha_of_looks, planned_looks, i, true);
  EXPECT_NEAR(sum, alpha_of_looks, 1e-12);
  const std::vector<std::int64_t> early_end = {5, 7};
  EXPECT_NEAR(level_at(alpha_of_looks, early_end, 0, false) + level_at(alpha_of_looks, early_end, 1, false),
              alpha_of_looks, 1e-12)
      << "the last look spends what is left";
  EXPECT_LT(level_at(alpha_of_looks, early_end, 1, true), level_at(alpha_of_looks, early_end, 1, false));
}

TEST(Looks, WhatIsDecidedStays) {
  const std::vector<double> slow_at_first = {1.1, 1.1, 1.1, 1.1, 1.1, 0.9, 0.9, 0.9, 0.9, 0.9};
  EXPECT_EQ(compared(sides(slow_at_first, {})).verdict, Verdict::inconclusive);
  const model::MetricComparison decided = compared(sides(slow_at_first, {5, 10}));
  EXPECT_EQ(decided.verdict, Verdict::slower);
  EXPECT_EQ(decided.base_launches, 5);
  EXPECT_NEAR(decided.ratio, 1.1, 1e-9);
}

TEST(Looks, ALookCostsEvidence) {
  const std::vector<double> change = {1.03, 1.042, 1.035, 1.05, 1.04};
  const model::MetricComparison once = compared(sides(change, {}));
  const model::MetricComparison first = compared(sides(change, {5}), true);
  EXPECT_EQ(once.verdict, Verdict::slower);
  EXPECT_NEAR(*first.q / *once.q, 1 / 0.357374, 1e-4) << "q compares with alpha at every look";
  EXPECT_EQ(*first.p, *once.p);
}

TEST(Looks, TheEndSaysWhatCouldHaveBeenFound) {
  const Sides wild = sides({1.1, 0.9, 1.1, 0.9, 1.1, 0.9, 1.1}, {5, 7});
  const model::MetricComparison undecided = compared(wild);
  EXPECT_EQ(undecided.verdict, Verdict::inconclusive);
  EXPECT_THAT(undecided.why, HasSubstr("undecided after 7 launches per side: the launches would have found a "
                                       "change of "));
  EXPECT_THAT(undecided.why, HasSubstr("in nine cases of ten"));
  EXPECT_GT(*undecided.detectable90, *undecided.detectable);
  EXPECT_GT(*compare(wild.base, wild.now, {}).slowdown_found, 0.1);
  const Sides calm = sides({1, 1, 1, 1, 1}, {5});
  EXPECT_EQ(*compare(calm.base, calm.now, {}).slowdown_found, 0) << "nothing stayed undecided";
}

}  // namespace
}  // namespace graphbench::judge
