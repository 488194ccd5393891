// Order statistics against hand-worked values.
#include "harness/statistics/summary.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace graphbench::statistics {
namespace {

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.rbegin(), values.rend(), 1.0);  // descending: the input need not be sorted
  return values;
}

TEST(Summarize, IsAbsentWithoutSamples) {
  EXPECT_FALSE(summarize({}).has_value());
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
}

TEST(Summarize, BoundsItsMedianFromSixSamplesOn) {
  EXPECT_FALSE(summarize(one_to(5))->p50_ci95_low);
  EXPECT_EQ(summarize(one_to(100))->p50_ci95_low, 40);
  EXPECT_EQ(summarize(one_to(100))->p50_ci95_high, 61);
}

TEST(Summarize, OneSampleHasNoSpread) {
  EXPECT_FALSE(summarize({1})->stddev.has_value());
}

TEST(Summarize, PublishesAPercentileOnlyWithEnoughSamples) {
  EXPECT_FALSE(summarize(one_to(43))->p90);
  EXPECT_EQ(summarize(one_to(44))->p90, 40);
  EXPECT_FALSE(summarize(one_to(458))->p99);
  EXPECT_EQ(summarize(one_to(459))->p99, 455);
  EXPECT_FALSE(summarize(one_to(4602))->p999);
  EXPECT_EQ(summarize(one_to(4603))->p999, 4599);
}

}  // namespace
}  // namespace graphbench::statistics
