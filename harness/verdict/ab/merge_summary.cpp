// harness/measure summarises the launch medians, so that there is one definition of a summary.
#include "harness/verdict/ab/merge_summary.hpp"

#include <cmath>

#include "harness/model/metrics.hpp"
#include "harness/statistics/cell_summary.hpp"
#include "harness/statistics/quantiles.hpp"
#include "harness/statistics/submit_floor.hpp"

namespace graphbench::ab {
namespace {

using model::CellSummary;
using Summaries = std::vector<CellSummary>;

// The median of one number over the launches' own summaries; what most launches lack has none.
template <typename Number>
std::optional<double> own_median(const Summaries& own, Number&& number) {
  std::vector<double> values;
  for (const CellSummary& summary : own) {
    if (const std::optional<double> value = number(summary)) values.push_back(*value);
  }
  if (values.empty() || 2 * values.size() < own.size()) return std::nullopt;
  return statistics::median(std::move(values));
}

void take_from_launches(CellSummary& summary, const Summaries& own) {
  for (const model::MetricRow& row : model::metrics()) {
    if (row.estimate == nullptr || !(summary.*row.estimate)) continue;
    (summary.*row.estimate)->within_launch = own_median(own, [&](const CellSummary& launch) {
      const auto& estimate = launch.*row.estimate;
      return estimate ? estimate->within_launch : std::nullopt;
    });
  }
  const std::optional<double> steady = own_median(own, [](const CellSummary& launch) {
    return launch.steady_after ? std::optional(static_cast<double>(*launch.steady_after)) : std::nullopt;
  });
  summary.steady_after.reset();
  if (steady) summary.steady_after = static_cast<std::int64_t>(std::ceil(*steady));
}

}  // namespace

void summarize(std::vector<model::CellResult>& cells, const std::map<std::string, Summaries>& own,
               const model::Floors& floors) {
  statistics::summarize_cells(cells);
  for (model::CellResult& cell : cells) {
    if (cell.status != model::CellStatus::ok) {
      cell.summary = CellSummary();
      continue;
    }
    const auto launches = own.find(model::id_of(cell.cell));
    take_from_launches(cell.summary, launches == own.end() ? Summaries() : launches->second);
  }
  statistics::add_submit_over_floor(floors, cells);
}

}  // namespace graphbench::ab
