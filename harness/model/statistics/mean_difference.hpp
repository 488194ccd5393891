// Tests of the difference of two means, and corrections over many of them: pure functions of logarithms of
// launch medians. docs/reference/statistics.md says where they are used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace graphbench::statistics {

// A launch's median is taken to be known no better than to this standard deviation (0.1 %; the best
// machines measured spread by 0.2 %). Without it, launches that agree to the last digit, by luck or
// because a clock rounds, would make any change certain. The same constant in the denominator keeps
// luckily small variances in check in gene expression tests (Tusher, Tibshirani & Chu 2001, s0).
inline constexpr double log_spread_min = 0.001;

// The difference of two means with its standard error and degrees of freedom.
struct MeanDifference {
  double mean = 0;
  double error = 0;
  double freedom = 0;
  double share = 1;  // the error squared, over the variance of one launch
};

// Welch's unequal-variances t statistic with Satterthwaite's degrees of freedom (Welch 1947), of `now`
// minus `base`. Absent if a side has fewer than two values.
std::optional<MeanDifference> welch(std::span<const double> base, std::span<const double> now);

// The paired t statistic of now[i] - base[i]. Absent below two pairs; the spans are of one length.
std::optional<MeanDifference> paired(std::span<const double> base, std::span<const double> now);

// The value of one cell in one launch, which other cells share.
struct LaunchValue {
  std::int64_t launch = 0;
  double value = 0;
};
using CellValues = std::vector<std::vector<LaunchValue>>;

// A variance and its degrees of freedom. 0 degrees: nothing is known.
struct Spread {
  double variance = 0;
  double freedom = 0;
};

// Both statistics of the mean over cells, each with equal weight, where the launch is the replicate: an
// effect on all cells of a launch does not average out over cells, and is not counted as if it did (a
// sandwich estimator, clustered by launch: Liang & Zeger 1986). With the same launches in each cell it is
// welch() or paired() of the launches' means. Absent if a cell has fewer than two launches, or there is none.
std::optional<MeanDifference> welch_over_cells(const CellValues& base, const CellValues& now);
std::optional<MeanDifference> paired_over_cells(const CellValues& differences);
// The variance between launches of that mean.
std::optional<Spread> spread_over_cells(const CellValues& cells);

// The quantile of Student's t distribution that is exceeded with probability `tail`.
double t_critical(double tail, double freedom);

// The p of H0 "|true difference| <= margin" against both sides: twice the smaller one-sided tail of Student's
// t at the margin (with margin 0 the usual two-sided p). 1 where the mean lies within the margin.
double p_beyond(const MeanDifference& difference, double margin);

// Benjamini & Hochberg's (1995) adjusted p values, in the order of `p`.
std::vector<double> benjamini_hochberg(std::span<const double> p);

// The p value below which a further result would be called out at `alpha`, given the q values: the next
// step of Benjamini-Hochberg's ladder.
double next_threshold(std::span<const double> q, double alpha);

// The probability that a two-sided test at `threshold` finds a true difference: P(noncentral t > critical) in
// the normal approximation of Johnson & Welch (1940), Abramowitz & Stegun 26.7.10, as the distribution
// function of a normal law.
struct Power {
  double centre = 0;  // found in half of the cases
  double scale = 0;
  double critical = 0;  // Student's t at the threshold
  double at(double difference) const;
};
Power power_of(const MeanDifference& difference, double margin, double threshold);

// Quantiles of the standard normal distribution: a difference of the centre and this many scales is found in
// four of five, or nine of ten, cases.
inline constexpr double four_of_five = 0.8416212335729143;
inline constexpr double nine_of_ten = 1.2815515655446004;

// The difference that is found in nine cases of ten, in whichever of the tests it is. Absent if it would be
// larger than `largest`, or without tests.
std::optional<double> found_in_any(std::span<const Power> powers, double largest);
// For a difference that is in all tests alike, so that one test that finds it is enough. The tests are
// independent.
std::optional<double> found_by_any(std::span<const Power> powers, double largest);

}  // namespace graphbench::statistics
