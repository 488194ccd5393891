// Series whose neighbours are alike: how much, and how often chance divides them as well. Internal to
// harness/judge/history, but for the tests. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace graphbench::history {

// The lag-one correlation of the values around the means of their segments, corrected for the bias that
// estimating the means brings (Marriott & Pope, Kendall, Biometrika 41, 1954). Absent where nothing varies.
std::optional<double> lag_one_correlation(const std::vector<double>& values,
                                          const std::vector<std::size_t>& boundaries);

// How a split is tested against chance in a correlated series.
struct CorrelatedTest {
  double correlation = 0;  // of the simulated series: measured_at_most() of the values
  std::size_t segment_min = 0;
  std::int64_t series = 0;  // simulated, at most
  double alpha = 0;         // it stops once the p value cannot come down to this
};

// What the correlation may be, given that a short series measures it badly: three standard errors more than
// was measured, from 0 to model::correlation_max. Of 24 values the standard error is 0.2, so theirs is nearly
// always the latter. Less would not hold the rate: a change by chance is one that makes the rest look
// uncorrelated.
double measured_at_most(const std::vector<double>& values, const std::vector<std::size_t>& boundaries);

// The p value of the best split of `values`, over its mean deviation from its segments' means: how often
// series of the first autoregressive order, with normal innovations and the same segments, are split as well.
double p_of_correlated(const std::vector<double>& values, const std::vector<std::size_t>& boundaries,
                       const CorrelatedTest& test, std::mt19937_64& random);

}  // namespace graphbench::history
