// The numbers of the table of metrics: of one launch, and of a cell over its launches.
#pragma once

#include <optional>

#include "harness/model/metrics.hpp"

namespace graphbench::statistics {

// A metric's value; a distribution's is its median. Absent where the launch has none, or the metric is not of
// launches.
std::optional<double> value_of(const model::MetricRow& row, const model::Launch& launch);
// The median over launches of what they have; of a setup, over those whose setups count. Absent for an eager
// cell where the metric is of graphs only.
std::optional<double> value_of(const model::MetricRow& row, const model::CellResult& cell);

}  // namespace graphbench::statistics
