// The median of samples with a distribution-free confidence interval, and the nearest-rank quantile, which is
// always one of the samples.
#pragma once

#include <optional>
#include <vector>

namespace graphbench::model {

// The median. With an even count: the mean of the two middle values. Throws std::out_of_range without values.
double median(std::vector<double> values);
std::optional<double> median_or_absent(std::vector<double> values);

// The smallest sample s for which at least `fraction` of all samples are <= s. `sorted` is ascending and not
// empty, and 0 < fraction <= 1.
double nearest_rank(const std::vector<double>& sorted, double fraction);

// A confidence interval for a median, from order statistics.
struct MedianInterval {
  double low = 0;
  double high = 0;
};

// Returns the narrowest symmetric pair of order statistics that covers the median with at least 95 %
// probability. Samples are independent, so Binomial(n, 1/2) of them lie below the median of any distribution
// (David & Nagaraja, Order Statistics, 3rd ed., sec. 7.1). `sorted` is ascending. Absent below six samples.
std::optional<MedianInterval> median_interval(const std::vector<double>& sorted);

// Returns half the interval's width divided by the median. Infinite without an interval.
double relative_half_width(const std::vector<double>& sorted);

}  // namespace graphbench::model
