// A distribution-free confidence interval for a median, from order statistics.
#pragma once

#include <optional>
#include <vector>

namespace graphbench::statistics {

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

}  // namespace graphbench::statistics
