// Computes the minimum cost of submitting a step, from the floors of this machine.
#include <algorithm>

#include "harness/model/statistics/cell_summary.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::model {
namespace {

double later_launch(const Floor& idle, const std::optional<Floor>& queued) {
  return queued ? std::min(idle.p50, queued->p50) : idle.p50;
}

// Returns the number of eager launches. If a foreign step has eager ops, the number comes from records, and
// is absent without records.
std::optional<std::int64_t> eager_launches(const CellResult& cell) {
  if (cell.cell.preset != of_its_own || cell.graph->eager_ops == 0) return cell.graph->eager_ops;
  if (!cell.records) return std::nullopt;
  return cell.records->operations - cell.graph->contents.nodes;
}

}  // namespace

std::optional<double> submit_floor(const Floors& floors, const CellResult& cell) {
  if (!cell.graph || !floors.kernel_launch || !floors.graph_launch) return std::nullopt;
  const std::optional<std::int64_t> eager = eager_launches(cell);
  if (!eager || cell.graph->pieces + *eager <= 0) return std::nullopt;
  const double graph = later_launch(*floors.graph_launch, floors.queued_graph_launch);
  const double kernel = later_launch(*floors.kernel_launch, floors.queued_kernel_launch);
  const double first =
      cell.graph->pieces > 0 ? floors.graph_launch->p50 - graph : floors.kernel_launch->p50 - kernel;
  const double floor =
      first + static_cast<double>(cell.graph->pieces) * graph + static_cast<double>(*eager) * kernel;
  return floor > 0 ? std::optional<double>(floor) : std::nullopt;
}

void add_submit_over_floor(const Floors& floors, std::vector<CellResult>& cells) {
  for (CellResult& cell : cells) {
    const std::optional<double> floor = submit_floor(floors, cell);
    if (floor && cell.summary.submit_seconds)
      cell.summary.submit_over_floor = cell.summary.submit_seconds->p50 / *floor;
  }
}

}  // namespace graphbench::model
