// The numbers of the table of metrics, for one launch, and for a cell over its launches.
#pragma once

#include <optional>

#include "harness/model/metrics.hpp"

namespace graphbench::statistics {

// A metric's value; a distribution's is its median. Absent if the launch has none, or the metric is not of
// launches.
std::optional<double> value_of(const model::MetricRow& row, const model::Launch& launch);
// The median of the launches' values; for a setup, of the launches whose setups count. Absent for an eager
// cell if only graphs have the metric.
std::optional<double> value_of(const model::MetricRow& row, const model::CellResult& cell);

}  // namespace graphbench::statistics
