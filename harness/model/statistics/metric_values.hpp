// Reads a metric's value from one launch, or computes a cell's value over its launches.
#pragma once

#include <optional>

#include "harness/model/metrics.hpp"

namespace graphbench::model {

// Returns the launch's value; for a distribution, its median. Absent if the launch lacks the metric.
std::optional<double> value_of(const MetricRow& row, const Launch& launch);
// Returns the cell's own value, or the median over launches (for a setup: over launches whose setups count).
// Absent for an eager cell if only graphs have the metric.
std::optional<double> value_of(const MetricRow& row, const CellResult& cell);

}  // namespace graphbench::model
