// Tests of the difference of two means, corrections for many tests, and the ratio of two means. All functions
// are pure. The inputs of tests are logarithms of launch medians. docs/reference/statistics.md says how a
// comparison uses them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace graphbench::model {

// The least standard deviation that tests assume for a launch's median: 0.1 %. The best machines have 0.2 %.
// Launches may agree to the last digit by chance or because a clock rounds, and would make any change
// significant. Tests of gene expression add a similar constant (s0 in Tusher, Tibshirani & Chu 2001).
inline constexpr double log_spread_min = 0.001;

// The difference of two means with its standard error and degrees of freedom.
struct MeanDifference {
  double mean = 0;
  double error = 0;
  double freedom = 0;
  double share = 1;  // the squared error divided by the variance of one launch
};

// The difference `now` minus `base` for Welch's test (unequal variances), with Satterthwaite's degrees of
// freedom (Welch 1947). Absent if a side has fewer than two values.
std::optional<MeanDifference> welch(std::span<const double> base, std::span<const double> now);

// The mean of now[i] - base[i] for the paired t test. Absent below two pairs, or if the lengths differ.
std::optional<MeanDifference> paired(std::span<const double> base, std::span<const double> now);

// The value of one launch in one cell. Several cells may share a launch.
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

// welch() and paired() for the mean over cells with equal weights. The launch is the unit of replication: an
// effect on all cells of a launch does not average out over cells. So the error is a sandwich estimator,
// clustered by launch (Liang & Zeger 1986). If all cells have the same launches, the result equals that of
// welch() or paired() on the launches' means. Absent without cells, or if a cell has fewer than two launches.
std::optional<MeanDifference> welch_over_cells(const CellValues& base, const CellValues& now);
std::optional<MeanDifference> paired_over_cells(const CellValues& differences);

// The quantile of Student's t distribution that is exceeded with probability `tail`.
double t_critical(double tail, double freedom);

// The p value of the null hypothesis "|true difference| <= margin": twice the upper tail of Student's t at
// (|mean| - margin) / error. Margin 0 gives the usual two-sided p value. 1 if the mean is within the margin.
double p_beyond(const MeanDifference& difference, double margin);

// Benjamini & Hochberg's (1995) adjusted p values, in the order of `p`.
std::vector<double> benjamini_hochberg(std::span<const double> p);

// The p value below which one more test would be significant at `alpha`, given all q values. This is the next
// threshold of the Benjamini-Hochberg procedure.
double next_threshold(std::span<const double> q, double alpha);

// The power that a two-sided test at the p value `threshold` has in another comparison like this one, in a
// normal approximation as of noncentral t (Johnson & Welch 1940). Both comparisons estimate the spread, so
// power counts the ratio of two estimates; the approximation is best at nine of ten.
struct Power {
  double centre = 0;    // the difference that the test finds with a probability of 0.5
  double scale = 0;     // the standard deviation of the approximating normal distribution
  double critical = 0;  // Student's t at the threshold
  double at(double difference) const;
};
Power power_of(const MeanDifference& difference, double margin, double threshold);

// Standard normal quantiles: a test finds centre + quantile * scale with a probability of 0.8 or 0.9.
inline constexpr double four_of_five = 0.8416212335729143;
inline constexpr double nine_of_ten = 1.2815515655446004;

// The smallest true difference that one test, drawn at random, finds with a probability of 0.9. Absent
// without tests, or if the difference is larger than `largest`.
std::optional<double> found_in_any(std::span<const Power> powers, double largest);

// The ratio of two means over pairs, with an interval that is also valid if the denominator is uncertain.
struct RatioOfMeans {
  double ratio = 0;
  double low = 0;
  double high = 0;
};

// The sign of a ratio's denominator. Uncertain: its interval contains 0, so any ratio is possible.
enum class Denominator : std::uint8_t { negative, uncertain, positive };

// Compares Student's 95 % interval of the mean of at least two values with 0. A standard deviation below
// `spread_min` is replaced by `spread_min`.
Denominator sign_of_mean(std::span<const double> values, double spread_min);

// Fieller's (1954) 95 % interval of mean(numerator) / mean(denominator) over pairs: the ratios r for which
// Student's t cannot distinguish the mean of numerator[i] - r * denominator[i] from 0. `low` is at least 0,
// because numerators are not negative. Absent below three pairs, or if sign_of_mean() is not positive.
std::optional<RatioOfMeans> ratio_of_means(std::span<const double> numerator,
                                           std::span<const double> denominator, double spread_min);

}  // namespace graphbench::model
