// Computes the minimum cost of submitting a step as a sum over its launches.
#include "harness/model/statistics/submit_floor.hpp"

#include <algorithm>

#include "harness/model/vocabulary.hpp"

namespace graphbench::statistics {

namespace {

double later_launch(const model::Floor& idle, const std::optional<model::Floor>& queued) {
  return queued ? std::min(idle.p50, queued->p50) : idle.p50;
}

// Returns the number of eager launches. If a foreign step has eager ops, the number comes from records, and
// is absent without records.
std::optional<std::int64_t> eager_launches(const model::CellResult& cell) {
  if (cell.cell.preset != model::of_its_own || cell.graph->eager_ops == 0) return cell.graph->eager_ops;
  if (!cell.records) return std::nullopt;
  return cell.records->operations - cell.graph->contents.nodes;
}

}  // namespace

std::optional<double> submit_floor(const model::Floors& floors, const model::CellResult& cell) {
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

void add_submit_over_floor(const model::Floors& floors, std::vector<model::CellResult>& cells) {
  for (model::CellResult& cell : cells) {
    const std::optional<double> floor = submit_floor(floors, cell);
    if (floor && cell.summary.submit_seconds)
      cell.summary.submit_over_floor = cell.summary.submit_seconds->p50 / *floor;
  }
}

}  // namespace graphbench::statistics
