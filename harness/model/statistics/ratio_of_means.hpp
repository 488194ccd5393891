// The ratio of two means over pairs, with an interval that is also valid if the denominator is uncertain.
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

}  // namespace graphbench::statistics
