// The sum over a step's launches.
#include "harness/floor/submit_floor.hpp"

namespace graphbench::floors {

std::optional<double> submit_floor(const model::Floors& floors, const model::CellResult& cell) {
  if (!cell.graph || !floors.kernel_launch || !floors.graph_launch) return std::nullopt;
  const double floor = static_cast<double>(cell.graph->pieces) * floors.graph_launch->p50 +
                       static_cast<double>(cell.graph->eager_ops) * floors.kernel_launch->p50;
  return floor > 0 ? std::optional<double>(floor) : std::nullopt;
}

void add_submit_over_floor(const model::Floors& floors, std::vector<model::CellResult>& cells) {
  for (model::CellResult& cell : cells) {
    const std::optional<double> floor = submit_floor(floors, cell);
    if (floor && cell.summary.submit_seconds)
      cell.summary.submit_over_floor = cell.summary.submit_seconds->p50 / *floor;
  }
}

}  // namespace graphbench::floors
