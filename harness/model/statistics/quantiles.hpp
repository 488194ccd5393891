// The median and the nearest-rank quantile of samples. Only the quantile is always a measured value.
#pragma once

#include <optional>
#include <vector>

namespace graphbench::statistics {

// The median: with an even count, the mean of the middle two. Throws std::out_of_range without values.
double median(std::vector<double> values);
// The median, or nullopt without values.
std::optional<double> median_or_absent(std::vector<double> values);

// The smallest sample such that at least `fraction` of all samples are at or below it. `sorted` is ascending
// and not empty; 0 < fraction <= 1.
double nearest_rank(const std::vector<double>& sorted, double fraction);

}  // namespace graphbench::statistics
