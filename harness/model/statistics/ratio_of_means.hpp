// The ratio of two means of pairs, with an interval that holds also where the denominator is uncertain.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace graphbench::statistics {

struct RatioOfMeans {
  double ratio = 0;
  double low = 0;
  double high = 0;
};

// The sign of a ratio's denominator. Uncertain: its own interval reaches 0, so no ratio is excluded.
enum class Denominator : std::uint8_t { negative, uncertain, positive };

// Student's 95 % interval, against 0, of the mean of at least two values. Their standard deviation is taken
// to be at least `spread_min`.
Denominator sign_of_mean(std::span<const double> values, double spread_min);

// Fieller's (1954) 95 % interval of mean(numerator) / mean(denominator), of pairs: the ratios r for which
// Student's t does not tell the mean of numerator[i] - r * denominator[i] from 0. For a numerator that cannot
// be negative, `low` is 0 at least. Absent below three pairs, and unless the denominator is positive.
std::optional<RatioOfMeans> ratio_of_means(std::span<const double> numerator,
                                           std::span<const double> denominator, double spread_min);

}  // namespace graphbench::statistics
