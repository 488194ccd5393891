// A distribution-free confidence interval for a median, from order statistics.
#pragma once

#include <optional>
#include <vector>

namespace graphbench::statistics {

struct MedianInterval {
  double low = 0;
  double high = 0;
};

// The narrowest symmetric pair of order statistics that covers the median with at least 95 % probability, for
// independent samples of any distribution (David & Nagaraja, Order Statistics, 3rd ed., section 7.1). The
// number of samples below the median is Binomial(n, 1/2). `sorted` is ascending. Absent below six samples.
std::optional<MedianInterval> median_interval(const std::vector<double>& sorted);

// Half the interval's width over the median; infinite if there is no interval.
double relative_half_width(const std::vector<double>& sorted);

}  // namespace graphbench::statistics
