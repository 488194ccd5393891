// The median and the nearest-rank quantile of samples. The quantile is always one of the samples.
#pragma once

#include <optional>
#include <vector>

namespace graphbench::statistics {

// The median. With an even count: the mean of the two middle values. Throws std::out_of_range without values.
double median(std::vector<double> values);
std::optional<double> median_or_absent(std::vector<double> values);

// The smallest sample s for which at least `fraction` of all samples are <= s. `sorted` is ascending and not
// empty, and 0 < fraction <= 1.
double nearest_rank(const std::vector<double>& sorted, double fraction);

}  // namespace graphbench::statistics
