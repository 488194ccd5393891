// The two order statistics of graphbench: the median, and the nearest-rank quantile over samples. Only the
// second always returns a measured value.
#pragma once

#include <optional>
#include <vector>

namespace graphbench::statistics {

// The median, with an even count the mean of the middle two. Throws std::out_of_range for no values.
double median(std::vector<double> values);
// The median, absent for no values.
std::optional<double> median_or_absent(std::vector<double> values);

// The smallest sample with at least `fraction` of all samples at or below it. `sorted` is ascending and not
// empty; 0 < fraction <= 1.
double nearest_rank(const std::vector<double>& sorted, double fraction);

}  // namespace graphbench::statistics
