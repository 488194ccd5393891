// Tests order statistics against values worked out by hand.
#include "harness/model/statistics/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace graphbench::model {
namespace {

std::vector<double> counted_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.rbegin(), values.rend(), 1.0);  // descending: the input need not be sorted
  return values;
}

TEST(Summarize, CountsAndMoments) {
  const auto summary = summarize({4, 2, 6});
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->count, 3);
  EXPECT_EQ(summary->min, 2);
  EXPECT_EQ(summary->max, 6);
  EXPECT_EQ(summary->p50, 4);
  EXPECT_DOUBLE_EQ(summary->mean, 4);
  EXPECT_DOUBLE_EQ(*summary->stddev, 2);
  EXPECT_FALSE(summarize({1})->stddev.has_value()) << "one sample has no spread";
  EXPECT_FALSE(summarize({}).has_value());
}

TEST(Summarize, TakesTheMeanOfTheMiddleTwoOfAnEvenNumber) {
  EXPECT_DOUBLE_EQ(summarize({1, 2, 3, 4, 5, 6})->p50, 3.5);
}

TEST(Summarize, BoundsItsMedianFromSixSamplesOn) {
  EXPECT_FALSE(summarize(counted_to(5))->p50_ci95_low);
  EXPECT_EQ(summarize(counted_to(100))->p50_ci95_low, 40);
  EXPECT_EQ(summarize(counted_to(100))->p50_ci95_high, 61);
}

TEST(Summarize, PublishesAPercentileOnlyWithEnoughSamples) {
  EXPECT_FALSE(summarize(counted_to(43))->p90);
  EXPECT_EQ(summarize(counted_to(44))->p90, 40);
  EXPECT_FALSE(summarize(counted_to(458))->p99);
  EXPECT_EQ(summarize(counted_to(459))->p99, 455);
  EXPECT_FALSE(summarize(counted_to(4602))->p999);
  EXPECT_EQ(summarize(counted_to(4603))->p999, 4599);
}

// `count` samples around `median`; their median is exactly `median`.
std::vector<double> around(double median, int count) {
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) samples.push_back(median * (1 + 1e-3 * (i - (count - 1) / 2.0)));
  return samples;
}

TEST(SummarizePlacements, CountsEveryPlacementAlikeInEveryOrderWithFewAndManySamples) {
  const double answer = std::cbrt(1.00 * 1.03 * 1.03);
  const std::vector<std::vector<double>> orders = {
      {1.00, 1.03, 1.03}, {1.03, 1.00, 1.03}, {1.03, 1.03, 1.00}};
  const std::vector<std::vector<int>> counts = {
      {7, 7, 7}, {6, 201, 7}, {401, 7, 7}, {7, 7, 401}, {501, 501, 501}};
  for (const std::vector<double>& order : orders) {
    for (const std::vector<int>& count : counts) {
      std::vector<std::vector<double>> placements;
      for (std::size_t i = 0; i < 3; ++i) placements.push_back(around(order[i], count[i]));
      const auto summary = summarize_placements(placements);
      ASSERT_TRUE(summary);
      EXPECT_DOUBLE_EQ(summary->p50, answer);
      EXPECT_EQ(summary->count, count[0] + count[1] + count[2]);
      EXPECT_LE(*summary->p50_ci95_low, summary->p50);
      EXPECT_GE(*summary->p50_ci95_high, summary->p50);
    }
  }
}

TEST(SummarizePlacements, PoolsAllButTheMedian) {
  const auto summary = summarize_placements({counted_to(400), counted_to(10), {}});
  EXPECT_EQ(summary->count, 410);
  EXPECT_EQ(summary->max, 400);
  EXPECT_TRUE(summary->p90);
  EXPECT_DOUBLE_EQ(summary->p50, std::sqrt(200.5 * 5.5));
  EXPECT_FALSE(summarize_placements({counted_to(400), counted_to(5)})->p50_ci95_low)
      << "five have no interval";
  EXPECT_FALSE(summarize_placements({{}, {}}));
}

// A p90 may be below the median, so readers of documents must not refuse that as a contradiction.
TEST(SummarizePlacements, ASlowPlacementWithFewSamplesLiftsTheMedianAboveTheP90) {
  const std::vector<double> slow(10, 8.0);
  const auto summary = summarize_placements({std::vector<double>(200, 1.0), slow});
  EXPECT_EQ(summary->p90, 1.0);
  EXPECT_DOUBLE_EQ(summary->p50, std::sqrt(8.0));
}

}  // namespace
}  // namespace graphbench::model
