// What launches say together: the estimate of a time, and intervals of a median and of a ratio of medians.
// Each launch counts as one value.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::model {

// Returns the numbers of those rows that have one.
template <typename Row, typename Number>
std::vector<double> present(const std::vector<Row>& rows, Number number) {
  std::vector<double> values;
  for (const Row& row : rows) {
    if (const auto value = std::invoke(number, row)) values.push_back(static_cast<double>(*value));
  }
  return values;
}

using LaunchSummary = std::optional<Summary> Launch::*;
std::vector<double> medians_of(const CellResult& cell, LaunchSummary field);

// Returns the median over launches, and from three launches on the confidence interval of their geometric
// mean; nullopt without launches.
std::optional<Estimate> estimate_over(const std::vector<double>& launches);

// An interval of a positive number; both ends are positive.
struct Range {
  double low;
  double high;
};

// Both: Student's t on logarithms at three and four launches, and by ranks from five on; absent below three.
// That of median(over) / median(under) contains this ratio.
std::optional<Range> interval_of_median(const std::vector<double>& launches);
std::optional<Range> interval_of_ratio(const std::vector<double>& over, const std::vector<double>& under);

}  // namespace graphbench::model
