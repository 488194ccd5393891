// Reads the metrics of the table, from one launch or from a cell over its launches.
#pragma once

#include <optional>

#include "harness/model/metrics.hpp"

namespace graphbench::statistics {

// Returns the value in a launch; of a distribution, its median. Absent if the launch has none.
std::optional<double> value_of(const model::MetricRow& row, const model::Launch& launch);
// Returns the median over launches; for a setup, over launches whose setups count. Absent for an eager cell
// if only graphs have the metric.
std::optional<double> value_of(const model::MetricRow& row, const model::CellResult& cell);

}  // namespace graphbench::statistics
