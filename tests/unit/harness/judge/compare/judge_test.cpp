// Tests verdicts on launches that are written down by hand.
#include "harness/judge/compare/judge.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

namespace graphbench::judge {
namespace {

using model::MetricComparison;
using model::Verdict;
using testing::HasSubstr;

constexpr double alpha = 0.05;

// `count` launches around `centre`; the standard deviation of their logarithms is about 0.0016 * `spread`.
std::vector<double> launches(double centre, double spread = 1, int count = 5) {
  std::vector<double> made;
  for (int i = 0; i < count; ++i) made.push_back(centre * (1 + 0.001 * spread * (i % 5 - 2)));
  return made;
}

Trial measured(model::Metric metric, const Replicates& replicates,
               const model::MetricSettings& settings = {}) {
  static std::deque<MetricComparison> results;
  Trial trial = measure(metric, replicates, settings, results.emplace_back());
  trial.effects.clear();  // the trials have the same numbers, and stand for independent tasks
  return trial;
}

MetricComparison judged(const Replicates& replicates, const model::MetricSettings& settings = {}) {
  std::vector<Trial> trials = {measured(model::Metric::latency, replicates, settings)};
  judge(trials, alpha);
  return trials.front().result;
}

TEST(Judge, BeyondTheMarginAndBeyondChanceIsSlowerOrFaster) {
  const MetricComparison slower = judged({launches(100e-6), launches(110e-6)});
  EXPECT_EQ(slower.verdict, Verdict::slower);
  EXPECT_NEAR(slower.ratio, 1.1, 1e-9);
  EXPECT_LT(*slower.q, 1e-6);
  EXPECT_TRUE(slower.why.empty());
  const MetricComparison faster = judged({launches(110e-6), launches(100e-6)});
  EXPECT_EQ(faster.verdict, Verdict::faster);
  EXPECT_EQ(*faster.p, *slower.p) << "an exchange of the sides mirrors the verdict";
}

// One outlying launch moves a mean more than a median, so medians of the sides would contradict the ratio.
TEST(Judge, TheSidesAreGeometricMeansWhoseQuotientIsTheRatio) {
  const MetricComparison odd =
      judged({{100e-6, 100e-6, 101e-6, 101e-6, 101e-6}, {100e-6, 100e-6, 100e-6, 100e-6, 160e-6}});
  EXPECT_GT(odd.ratio, 1.08);
  EXPECT_NEAR(odd.new_seconds / odd.base_seconds, odd.ratio, 1e-12);
}

TEST(Judge, WithinTheMarginBeyondChanceIsSame) {
  const MetricComparison same = judged({launches(100e-6), launches(101e-6)});
  EXPECT_EQ(same.verdict, Verdict::same);
  EXPECT_LT(*same.ratio_ci95_high, 1.02);
}

TEST(Judge, ASignificantChangeWithinTheMarginIsNotSlower) {
  const MetricComparison small = judged({launches(100e-6), launches(101.5e-6)});
  EXPECT_GT(*small.ratio_ci95_low, 1.0);
  EXPECT_NE(small.verdict, Verdict::slower);
}

TEST(Judge, TooMuchSpreadIsInconclusiveWithTheLaunchesThatWouldTell) {
  const MetricComparison wide = judged({launches(100e-6, 12), launches(100e-6, 12)});
  EXPECT_EQ(wide.verdict, Verdict::inconclusive);
  EXPECT_THAT(wide.why, HasSubstr("the interval reaches past the margin: about "));
  const MetricComparison close = judged({launches(100e-6, 20), launches(101e-6, 20)});
  EXPECT_THAT(close.why, HasSubstr("not even 50 launches per side would decide at this spread"));
  const MetricComparison perhaps = judged({launches(100e-6, 20), launches(106e-6, 20)});
  EXPECT_EQ(perhaps.verdict, Verdict::inconclusive);
  EXPECT_THAT(perhaps.why, HasSubstr("the change is beyond the margin, but may be chance (q "));
}

TEST(Judge, TheFloorWidensTheMarginOfSmallTimes) {
  const MetricComparison tiny = judged({launches(1e-6), launches(1.15e-6)});
  EXPECT_EQ(tiny.verdict, Verdict::same);
  EXPECT_NEAR(tiny.margin, 200e-9 / tiny.base_seconds, 1e-9);
  EXPECT_NEAR(tiny.margin, 0.2, 1e-6);
  EXPECT_EQ(judged({launches(1e-6), launches(1.15e-6)}, {0.02, 0}).verdict, Verdict::slower);
  EXPECT_EQ(judged({launches(1e-6), launches(1.3e-6)}).verdict, Verdict::slower);
}

TEST(Judge, OneLaunchASideSaysAtMostInconclusive) {
  const MetricComparison one = judged({{100e-6}, {200e-6}});
  EXPECT_EQ(one.verdict, Verdict::inconclusive);
  EXPECT_NEAR(one.ratio, 2, 1e-12);
  EXPECT_FALSE(one.p || one.q || one.ratio_ci95_low || one.detectable);
  EXPECT_EQ(one.why, "one launch per side: repeat both with --launches 5");
  EXPECT_EQ(judged({{100e-6}, launches(200e-6)}).why, "BASE has one launch: repeat BASE with --launches 5");
  EXPECT_EQ(judged({launches(100e-6), {200e-6}}).why, "NEW has one launch: repeat NEW with --launches 5");
  EXPECT_EQ(judged({{100e-6}, {200e-6}, true}).why, "one pair of launches: repeat with --launches 5");
}

TEST(Judge, IdenticalLaunchesGiveFiniteNumbers) {
  const std::vector<double> constant(5, 100e-6);
  const MetricComparison same = judged({constant, constant});
  EXPECT_EQ(same.verdict, Verdict::same);
  EXPECT_EQ(same.ratio, 1);
  EXPECT_LT(*same.ratio_ci95_low, 1);
  EXPECT_GT(*same.ratio_ci95_high, 1);
  EXPECT_GT(*same.detectable, 0.02);
  EXPECT_EQ(judged({constant, std::vector<double>(5, 110e-6)}).verdict, Verdict::slower);
}

TEST(Judge, TwoLaunchesThatHaveNothingInCommonGiveFiniteNumbers) {
  const MetricComparison wild = judged({{1e-15, 1e9}, {1e9, 1e-15}, true});
  EXPECT_EQ(wild.verdict, Verdict::inconclusive);
  EXPECT_TRUE(std::isfinite(*wild.ratio_ci95_high));
  EXPECT_FALSE(wild.detectable);
}

TEST(Judge, PairsSeeThroughWhatBothSidesShare) {
  Replicates replicates;
  for (int i = 0; i < 6; ++i) {
    const double trend = 1 + 0.05 * i;
    replicates.base.push_back(100e-6 * trend * (1 + 0.001 * (i % 3)));
    replicates.now.push_back(106e-6 * trend * (1 + 0.001 * (i % 2)));
  }
  EXPECT_EQ(judged(replicates).verdict, Verdict::inconclusive);
  replicates.paired = true;
  EXPECT_EQ(judged(replicates).verdict, Verdict::slower);
}

void add_unchanged(std::vector<Trial>& trials, int count, double spread = 1) {
  for (int i = 0; i < count; ++i) {
    Trial& trial = trials.emplace_back(
        measured(model::Metric::submit, {launches(100e-6, spread), launches(100e-6, spread)}));
    trial.family = trial.task = static_cast<std::uint32_t>(trials.size());
  }
}

TEST(Judge, ManyFamiliesRaiseTheBar) {
  const Replicates borderline{launches(100e-6, 12), launches(106.5e-6, 12)};
  ASSERT_EQ(judged(borderline).verdict, Verdict::slower);
  std::vector<Trial> trials = {measured(model::Metric::latency, borderline)};
  add_unchanged(trials, 99);
  const Tests tests = judge(trials, alpha);
  EXPECT_EQ(tests.tests, 100);
  EXPECT_EQ(tests.families, 100);
  EXPECT_EQ(trials.front().result.verdict, Verdict::inconclusive);
}

TEST(Judge, WhatCouldNotBeTestedDoesNotCountAsATest) {
  std::vector<Trial> trials = {measured(model::Metric::latency, {launches(100e-6), launches(110e-6)}),
                               measured(model::Metric::submit, {{1e-6}, {2e-6}})};
  const Tests tests = judge(trials, alpha);
  EXPECT_EQ(tests.tests, 1);
  EXPECT_EQ(tests.families, 1);
  EXPECT_EQ(*trials.front().result.p, *trials.front().result.q);
}

// Four changed trials among 99 others: as families of their own none is slower, as one family all are.
TEST(Judge, MembersOfAFamilyAreFoundTogether) {
  const Replicates change{launches(100e-6, 12), launches(107e-6, 12)};
  const auto found = [&](bool one_family) {
    std::vector<Trial> trials;
    for (std::uint32_t i = 0; i < 4; ++i) {
      Trial& trial = trials.emplace_back(measured(model::Metric::latency, change));
      trial.family = one_family ? 0 : 1000 + i;
      trial.task = one_family ? i : 0;  // members of a family have processes of their own
    }
    add_unchanged(trials, 99);
    judge(trials, alpha);
    return std::ranges::count_if(trials,
                                 [](const Trial& trial) { return trial.result.verdict == Verdict::slower; });
  };
  EXPECT_EQ(found(true), 4);
  EXPECT_EQ(found(false), 0);
}

TEST(Judge, OtherCellsTellTheSpreadWhereTheyAreOtherTasks) {
  const auto freedom = [](bool one_task) {
    std::vector<Trial> trials;
    add_unchanged(trials, 20);
    for (Trial& trial : trials) trial.task = one_task ? 0 : trial.task;
    judge(trials, alpha);
    return *trials.front().result.freedom;
  };
  EXPECT_NEAR(freedom(false), 20 * 8, 1e-6);
  EXPECT_NEAR(freedom(true), 8, 1e-6) << "one process cannot tell more than its own launches do";
}

TEST(Judge, AnOddLaunchDoesNotHideBehindQuietNeighbours) {
  std::vector<Trial> trials;
  add_unchanged(trials, 20);
  std::vector<double> odd = launches(100e-6);
  odd.back() = 140e-6;
  trials.push_back(measured(model::Metric::submit, {launches(100e-6), odd}));
  judge(trials, alpha);
  const MetricComparison& result = trials.back().result;
  EXPECT_NE(result.verdict, Verdict::slower);
  EXPECT_LT(*result.freedom, 5);
  EXPECT_GT(*result.spread, 0.1);
}

TEST(Judge, AMemberIsNotTakenToBeQuieterThanItsFamily) {
  const std::vector<double> two_speeds = {100e-6, 105e-6, 100e-6, 105e-6, 100e-6};
  std::vector<Trial> trials = {
      measured(model::Metric::latency, {launches(100e-6, 0.2), launches(106e-6, 0.2)})};
  ASSERT_EQ(judged({launches(100e-6, 0.2), launches(106e-6, 0.2)}).verdict, Verdict::slower);
  for (std::uint32_t i = 1; i < 4; ++i) {
    trials.push_back(measured(model::Metric::latency, {two_speeds, two_speeds}));
    trials.back().task = i;
  }
  judge(trials, alpha);
  EXPECT_NE(trials.front().result.verdict, Verdict::slower);
  EXPECT_GT(*trials.front().result.spread, 0.02);
}

}  // namespace
}  // namespace graphbench::judge
