// Tests against known values: t quantiles as in any table, the worked example of Benjamini & Hochberg
// (1995), and values from integrating Student's density by Simpson's rule in Python, without Boost.
#include "harness/model/statistics/mean_difference.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

namespace graphbench::model {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

std::vector<double> logs(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

const std::vector<double> base = logs({100.0, 101.0, 99.5, 100.4, 100.9});
const std::vector<double> now = logs({105.2, 104.1, 106.3, 105.0, 104.7, 105.5});

TEST(Statistics, WelchAgreesWithTheFormulaInPython) {
  const MeanDifference difference = *welch(base, now);
  EXPECT_NEAR(difference.mean, 0.046460400714877004, 1e-14);
  EXPECT_NEAR(difference.error, 0.004021008932370597, 1e-14);
  EXPECT_NEAR(difference.freedom, 8.944819976819275, 1e-9);
}

TEST(Statistics, PairedAgreesWithTheFormulaInPython) {
  const std::vector<double> first_five(now.begin(), now.begin() + 5);
  const MeanDifference difference = *paired(base, first_five);
  EXPECT_NEAR(difference.mean, 0.04575990953907159, 1e-14);
  EXPECT_NEAR(difference.error, 0.006155084123779296, 1e-14);
  EXPECT_EQ(difference.freedom, 4);
  EXPECT_NEAR(p_beyond(difference, 0), 0.0017478269315514706, 1e-12);
}

CellValues in_launches(const std::vector<std::vector<double>>& cells, std::int64_t first = 0) {
  CellValues made;
  for (const std::vector<double>& cell : cells) {
    made.emplace_back();
    for (const double value : cell)
      made.back().push_back({first + static_cast<std::int64_t>(made.back().size()), value});
  }
  return made;
}

TEST(Statistics, TheMeanOverCellsOfTheSameLaunchesIsThatOfTheLaunchesMeans) {
  std::vector<double> other = base;
  std::swap(other.front(), other.back());
  std::vector<double> means;
  for (std::size_t i = 0; i < base.size(); ++i) means.push_back((base[i] + other[i]) / 2);
  const MeanDifference one = *welch(means, now);
  const MeanDifference over = *welch_over_cells(in_launches({base, other}), in_launches({now, now}));
  EXPECT_NEAR(over.mean, one.mean, 1e-14);
  EXPECT_NEAR(over.error, one.error, 1e-14);
  EXPECT_NEAR(over.freedom, one.freedom, 1e-9);
  EXPECT_NEAR(over.share, one.share, 1e-14);
  const std::vector<double> first_five(now.begin(), now.begin() + 5);
  std::vector<double> differences;
  for (std::size_t i = 0; i < means.size(); ++i) differences.push_back(first_five[i] - means[i]);
  const MeanDifference pairs = *paired(means, first_five);
  const MeanDifference paired_over = *paired_over_cells(in_launches({differences}));
  EXPECT_NEAR(paired_over.mean, pairs.mean, 1e-14);
  EXPECT_NEAR(paired_over.error, pairs.error, 1e-14);
  EXPECT_NEAR(paired_over.freedom, pairs.freedom, 1e-9);
  EXPECT_NEAR(paired_over.share, pairs.share, 1e-14);
}

// Two shards measure different cells in different launches, so the noise of these launches is independent.
TEST(Statistics, CellsOfOtherLaunchesAverageOut) {
  CellValues apart = in_launches({base});
  apart.push_back(in_launches({base}, 100).front());
  const MeanDifference one = *paired_over_cells(in_launches({base, base}));
  const MeanDifference two = *paired_over_cells(apart);
  EXPECT_NEAR(two.error, one.error / std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(two.freedom, 2 * one.freedom, 1e-9);
}

TEST(Statistics, OneLaunchASideIsNoEvidence) {
  EXPECT_FALSE(welch_over_cells(in_launches({base, {1}}), in_launches({now, now})));
  EXPECT_FALSE(paired_over_cells({}));
  EXPECT_FALSE(welch(std::vector<double>{1}, now));
  EXPECT_FALSE(welch(base, std::vector<double>{1}));
  EXPECT_FALSE(paired(std::vector<double>{1}, std::vector<double>{1}));
  EXPECT_FALSE(paired(base, now)) << "the sides are of different lengths";
}

TEST(Statistics, CriticalValuesAreThoseOfTheTables) {
  EXPECT_NEAR(t_critical(0.025, 8), 2.3060041352, 1e-8);
  EXPECT_NEAR(t_critical(0.025, 18), 2.1009220402, 1e-8);
  EXPECT_NEAR(t_critical(1e-4, 8), 6.4419998210, 1e-7);
  EXPECT_NEAR(t_critical(0.025, 2.5), 3.5746548420, 1e-7);
}

TEST(Statistics, PIsOfTheChangeBeyondTheMargin) {
  const MeanDifference difference = *welch(base, now);
  EXPECT_NEAR(p_beyond(difference, 0) / 1.1201175621858749e-06, 1, 1e-6);
  EXPECT_NEAR(p_beyond(difference, std::log1p(0.02)) / 9.872268371070404e-05, 1, 1e-6);
  EXPECT_EQ(p_beyond(difference, 0.05), 1) << "the change lies within the margin";
  EXPECT_EQ(p_beyond({-difference.mean, difference.error, difference.freedom}, 0.02),
            p_beyond(difference, 0.02))
      << "an exchange of the sides changes nothing";
}

TEST(Statistics, LaunchesThatAgreeToTheLastDigitAreNotCertainty) {
  const std::vector<double> same(5, 0.0);
  const MeanDifference difference = *welch(same, same);
  EXPECT_EQ(difference.mean, 0);
  EXPECT_NEAR(difference.error, log_spread_min * std::sqrt(2.0 / 5), 1e-15);
  EXPECT_NEAR(difference.freedom, 8, 1e-9);
  EXPECT_EQ(p_beyond(difference, 0), 1);
  const MeanDifference pairs = *paired(same, same);
  EXPECT_NEAR(pairs.error, log_spread_min * std::sqrt(2.0 / 5), 1e-15);
  // Launches are assumed to spread by log_spread_min, so 0.1 % between constants is not significant.
  const std::vector<double> shifted(5, 0.001);
  EXPECT_GT(p_beyond(*welch(same, shifted), 0), 0.05);
}

// Table 1 of Benjamini & Hochberg (1995) has 15 p values; their procedure at 0.05 rejects the first four.
TEST(Statistics, BenjaminiHochbergRejectsAsInTheirExample) {
  const std::vector<double> p = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  const std::vector<double> q = benjamini_hochberg(p);
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_EQ(q[i] < 0.05, i < 4) << i << ": " << q[i];
  EXPECT_NEAR(q[3], 0.0095 * 15 / 4, 1e-12);
  EXPECT_NEAR(next_threshold(q, 0.05), 0.05 * 5 / 15, 1e-12);
}

TEST(Statistics, BenjaminiHochbergKeepsTheOrderGivenAndIsMonotone) {
  EXPECT_THAT(benjamini_hochberg(std::vector<double>{0.04, 0.001, 0.03}),
              ElementsAre(DoubleNear(0.04, 1e-12), DoubleNear(0.003, 1e-12), DoubleNear(0.04, 1e-12)));
  EXPECT_TRUE(benjamini_hochberg({}).empty());
  EXPECT_EQ(next_threshold({}, 0.05), 0.05);
}

double found_in_four_of_five(const MeanDifference& difference, double margin, double threshold) {
  const Power power = power_of(difference, margin, threshold);
  return power.centre + four_of_five * power.scale;
}

// In standard errors. Exact values are quantiles of sqrt(f / x) (c sqrt(y / f) + z), with x and y chi squared
// of f degrees of freedom, z normal and c Student's t: 4.37, 3.70 and 3.44 at 8, 18 and 38 degrees
// (simulated).
TEST(Statistics, WhatAnotherComparisonFindsCountsBothSpreads) {
  const auto found = [](const MeanDifference& difference, double margin, double threshold) {
    const Power power = power_of(difference, margin, threshold);
    return power.centre + nine_of_ten * power.scale;
  };
  EXPECT_NEAR(found({0, 1, 8}, 0, 0.05), 4.37, 0.3);
  EXPECT_NEAR(found({0, 1, 18}, 0, 0.05), 3.70, 0.15);
  EXPECT_NEAR(found({0, 1, 38}, 0, 0.05), 3.44, 0.1);
  EXPECT_NEAR(found({0.5, 2, 8}, 3, 0.05), 3 + 2 * found({0, 1, 8}, 0, 0.05), 1e-9) << "the margin is added";
}

// By the normal distribution: power is 0.5 at the centre, and 0.9 at 1.28 scales above the centre.
TEST(Statistics, WhatIsFoundInAnyIsFoundInNineOfTen) {
  const Power power = power_of({0, 1, 1e6}, 2, 0.05);
  EXPECT_NEAR(power.centre, 2 + 1.959964, 1e-4);
  EXPECT_NEAR(power.at(power.centre), 0.5, 1e-12);
  EXPECT_NEAR(power.at(power.centre + nine_of_ten * power.scale), 0.9, 1e-9);
  const std::vector<Power> one = {{1, 0.1}};
  EXPECT_NEAR(*found_in_any(one, 10), 1 + 0.1 * nine_of_ten, 1e-4);
  // One test of ten never finds the difference, so the nine others must always find it.
  std::vector<Power> ten(9, {1, 0.1});
  ten.push_back({100, 0.1});
  EXPECT_GT(*found_in_any(ten, 10), 1.4);
  EXPECT_FALSE(found_in_any(std::vector<Power>{{100, 0.1}}, 10));
  EXPECT_FALSE(found_in_any({}, 10));
}

}  // namespace
}  // namespace graphbench::model
