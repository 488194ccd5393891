// Verdicts on launches written down by hand.
#include "harness/verdict/compare/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace graphbench::compare {
namespace {

using model::MetricComparison;
using model::Verdict;
using testing::HasSubstr;

constexpr double alpha = 0.05;

// Five launches around `centre` whose logarithms spread by about 0.16 % times `spread`.
std::vector<double> launches(double centre, double spread = 1, int count = 5) {
  std::vector<double> made;
  for (int i = 0; i < count; ++i) made.push_back(centre * (1 + 0.001 * spread * (i % 5 - 2)));
  return made;
}

MetricComparison judged(const Replicates& replicates, const model::MetricSettings& settings = {}) {
  std::vector<Trial> trials = {measure(model::Metric::latency, replicates, settings)};
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
  EXPECT_EQ(faster.p, slower.p) << "an exchange of the sides mirrors the verdict";
}

TEST(Judge, WithinTheMarginBeyondChanceIsSame) {
  const MetricComparison same = judged({launches(100e-6), launches(101e-6)});
  EXPECT_EQ(same.verdict, Verdict::same);
  EXPECT_LT(*same.ratio_ci95_high, 1.02);
}

// 1.5 % is significant against no change at all, and still no more than what does not matter.
TEST(Judge, ASignificantChangeWithinTheMarginIsNotSlower) {
  const MetricComparison small = judged({launches(100e-6), launches(101.5e-6)});
  EXPECT_GT(*small.ratio_ci95_low, 1.0);
  EXPECT_NE(small.verdict, Verdict::slower);
}

TEST(Judge, TooMuchSpreadIsInconclusiveWithTheLaunchesThatWouldTell) {
  const MetricComparison wide = judged({launches(100e-6, 20), launches(101e-6, 20)});
  EXPECT_EQ(wide.verdict, Verdict::inconclusive);
  EXPECT_THAT(wide.why, HasSubstr("the interval reaches past the margin: about "));
  const MetricComparison perhaps = judged({launches(100e-6, 20), launches(106e-6, 20)});
  EXPECT_EQ(perhaps.verdict, Verdict::inconclusive);
  EXPECT_THAT(perhaps.why, HasSubstr("beyond the margin, but it may be chance (q "));
}

TEST(Judge, TheFloorWidensTheMarginOfSmallTimes) {
  const MetricComparison tiny = judged({launches(1e-6), launches(1.15e-6)});
  EXPECT_EQ(tiny.verdict, Verdict::same);
  EXPECT_NEAR(tiny.margin, 0.2, 1e-9);
  EXPECT_EQ(judged({launches(1e-6), launches(1.15e-6)}, {0.02, 0}).verdict, Verdict::slower);
  EXPECT_EQ(judged({launches(1e-6), launches(1.3e-6)}).verdict, Verdict::slower);
}

TEST(Judge, OneLaunchASideSaysAtMostInconclusive) {
  const MetricComparison one = judged({{100e-6}, {200e-6}});
  EXPECT_EQ(one.verdict, Verdict::inconclusive);
  EXPECT_NEAR(one.ratio, 2, 1e-12);
  EXPECT_FALSE(one.p || one.q || one.ratio_ci95_low || one.detectable);
  EXPECT_EQ(one.why, "one launch a side: repeat both with --launches 5");
  EXPECT_EQ(judged({{100e-6}, launches(200e-6)}).why, "BASE has one launch: repeat it with --launches 5");
  EXPECT_EQ(judged({launches(100e-6), {200e-6}}).why, "NEW has one launch: repeat it with --launches 5");
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

// A common slow trend over the pairs hides a change from unpaired launches, and not from paired ones.
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

TEST(Judge, ManyTestsRaiseTheBar) {
  const Replicates borderline{launches(100e-6, 12), launches(106.5e-6, 12)};
  ASSERT_EQ(judged(borderline).verdict, Verdict::slower);
  std::vector<Trial> trials = {measure(model::Metric::latency, borderline, {})};
  for (int i = 0; i < 99; ++i) {
    trials.push_back(measure(model::Metric::submit, {launches(100e-6), launches(100e-6)}, {}));
  }
  EXPECT_EQ(judge(trials, alpha), 100);
  EXPECT_EQ(trials.front().result.verdict, Verdict::inconclusive);
}

TEST(Judge, WhatCouldNotBeTestedDoesNotCountAsATest) {
  std::vector<Trial> trials = {measure(model::Metric::latency, {launches(100e-6), launches(110e-6)}, {}),
                               measure(model::Metric::submit, {{1e-6}, {2e-6}}, {})};
  EXPECT_EQ(judge(trials, alpha), 1);
  EXPECT_EQ(trials.front().result.p, trials.front().result.q);
}

}  // namespace
}  // namespace graphbench::compare
