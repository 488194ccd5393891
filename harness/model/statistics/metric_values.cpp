// Reads a metric of a cell, or computes its median over launches.
#include "harness/model/statistics/metric_values.hpp"

#include <utility>
#include <vector>

#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/statistics/setup_cost.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::model {

std::optional<double> value_of(const MetricRow& row, const Launch& launch) {
  return row.value.of_launch != nullptr ? row.value.of_launch(launch) : std::nullopt;
}

std::optional<double> value_of(const MetricRow& row, const CellResult& cell) {
  if (row.graphs_only && !is_graph_mode(cell.cell.mode)) return std::nullopt;
  if (row.value.of_cell != nullptr) return row.value.of_cell(cell);
  if (row.estimate != nullptr && cell.summary.*row.estimate) return (cell.summary.*row.estimate)->p50;
  std::vector<double> values;
  for (const Launch& launch : cell.launches) {
    if (row.of_setups && !has_later_setups(cell.launches, launch)) continue;
    if (const std::optional<double> value = value_of(row, launch)) values.push_back(*value);
  }
  return median_or_absent(std::move(values));
}

}  // namespace graphbench::model
