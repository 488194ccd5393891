// The median: the mean of the middle two where their number is even.
#pragma once

#include <algorithm>
#include <vector>

namespace graphbench::statistics {

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

}  // namespace graphbench::statistics
