// Tests of the difference of two means, and corrections for many tests: pure functions of the logarithms of
// launch medians. docs/reference/statistics.md says where they are used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace graphbench::statistics {

// The least standard deviation that tests assume for a launch's median (0.1 %; the best machines measured
// have 0.2 %). Without it, launches that agree to the last digit, by luck or because a clock rounds, would
// make any change significant. Tests of gene expression add such a constant to the denominator for the same
// reason (Tusher, Tibshirani & Chu 2001, s0).
inline constexpr double log_spread_min = 0.001;

// The difference of two means with its standard error and degrees of freedom.
struct MeanDifference {
  double mean = 0;
  double error = 0;
  double freedom = 0;
  double share = 1;  // the squared error over the variance of one launch
};

// Welch's t statistic for unequal variances, with Satterthwaite's degrees of freedom (Welch 1947), of `now`
// minus `base`. Absent if a side has fewer than two values.
std::optional<MeanDifference> welch(std::span<const double> base, std::span<const double> now);

// The paired t statistic of now[i] - base[i]. Absent below two pairs, and for spans of different lengths.
std::optional<MeanDifference> paired(std::span<const double> base, std::span<const double> now);

// The value of one cell in one launch. Several cells may share a launch.
struct LaunchValue {
  std::int64_t launch = 0;
  double value = 0;
};
using CellValues = std::vector<std::vector<LaunchValue>>;

// A variance and its degrees of freedom. 0 degrees: the variance is not known.
struct Spread {
  double variance = 0;
  double freedom = 0;
};

// welch() and paired() for the mean over cells with equal weights. The launch is the replicate: an effect on
// all cells of a launch does not average out over cells, and the error accounts for this (a sandwich
// estimator, clustered by launch: Liang & Zeger 1986). If all cells have the same launches, the result is
// that of the launches' means. Absent without cells, or if a cell has fewer than two launches.
std::optional<MeanDifference> welch_over_cells(const CellValues& base, const CellValues& now);
std::optional<MeanDifference> paired_over_cells(const CellValues& differences);
// The variance between launches of the mean over cells.
std::optional<Spread> spread_over_cells(const CellValues& cells);

// The quantile of Student's t distribution that is exceeded with probability `tail`.
double t_critical(double tail, double freedom);

// The p of H0 "|true difference| <= margin": twice the smaller one-sided tail of Student's t at the margin
// (with margin 0 the usual two-sided p). 1 if the mean lies within the margin.
double p_beyond(const MeanDifference& difference, double margin);

// Benjamini & Hochberg's (1995) adjusted p values, in the order of `p`.
std::vector<double> benjamini_hochberg(std::span<const double> p);

// The p value below which one more result would be significant at `alpha`, given the q values: the next step
// of the Benjamini-Hochberg procedure.
double next_threshold(std::span<const double> q, double alpha);

// The power of a two-sided test at `threshold`: the probability that it finds a true difference, P(noncentral
// t > critical). The normal approximation is from Johnson & Welch (1940), Abramowitz & Stegun 26.7.10.
struct Power {
  double centre = 0;  // the difference that is found in half of the cases
  double scale = 0;
  double critical = 0;  // Student's t at the threshold
  double at(double difference) const;
};
Power power_of(const MeanDifference& difference, double margin, double threshold);

// Quantiles of the standard normal distribution: a test finds a difference of centre + quantile * scale in
// four of five, or nine of ten, cases.
inline constexpr double four_of_five = 0.8416212335729143;
inline constexpr double nine_of_ten = 1.2815515655446004;

// The difference that is found in nine cases of ten if it is in one of the tests, whichever that is. Absent
// without tests, or if it is larger than `largest`.
std::optional<double> found_in_any(std::span<const Power> powers, double largest);
// Like found_in_any() if the difference is in all tests, where one test that finds it is enough. The tests
// are independent.
std::optional<double> found_by_any(std::span<const Power> powers, double largest);

}  // namespace graphbench::statistics
