// Computes the share of an eager step in which the device has nothing to do.
#include <algorithm>
#include <cmath>
#include <map>

#include "harness/model/axes.hpp"
#include "harness/model/statistics/cell_summary.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::model {
namespace {

// Returns, by the id of an eager cell, the `whole` cell that refers to it. If several do, the one with the
// same later axes comes first.
std::map<std::string, const CellResult*> wholes_by_eager(const std::vector<CellResult>& cells) {
  std::map<std::string, const CellResult*> wholes;
  for (const CellResult& cell : cells) {
    if (cell.status != CellStatus::ok || cell.cell.mode != "whole" || !cell.summary.device_seconds) continue;
    const Cell eager = reference_of(cell.cell);
    const auto [place, first] = wholes.emplace(id_of(eager), &cell);
    if (!first && cell.cell.more_axes == eager.more_axes) place->second = &cell;
  }
  return wholes;
}

struct BusyTime {
  double seconds;  // NaN: not known
  LaunchBoundBy source;
};

// `whole` is null if it was not measured.
std::optional<BusyTime> busy_time(const CellResult& eager, const CellResult* whole) {
  if (eager.records) return BusyTime{eager.records->busy_seconds, LaunchBoundBy::records};
  if (whole == nullptr) return std::nullopt;
  return BusyTime{whole->summary.device_seconds->p50, LaunchBoundBy::whole};
}

}  // namespace

void add_launch_bound(std::string_view device_kind, std::vector<CellResult>& cells) {
  std::map<std::string, const CellResult*> wholes = wholes_by_eager(cells);
  for (CellResult& cell : cells) {
    cell.summary.launch_bound.reset();
    cell.summary.launch_bound_by.reset();
    const std::optional<Estimate>& latency = cell.summary.latency_seconds;
    if (cell.status != CellStatus::ok || is_graph_mode(cell.cell.mode) || !latency || latency->p50 <= 0)
      continue;
    const bool enclosed = device_kind != "host" || cell.cell.preset != of_its_own;  // by events
    const std::optional<BusyTime> busy = busy_time(cell, enclosed ? wholes[id_of(cell.cell)] : nullptr);
    if (!busy || std::isnan(busy->seconds)) continue;
    cell.summary.launch_bound = std::max(0.0, 1 - busy->seconds / latency->p50);
    cell.summary.launch_bound_by = busy->source;
  }
}

}  // namespace graphbench::model
