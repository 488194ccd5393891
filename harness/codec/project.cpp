// Metrics by the table, facts by the names that the reader of documents has.
#include "harness/codec/project.hpp"

#include "harness/codec/read_facts.hpp"
#include "harness/codec/result_fields.hpp"
#include "harness/model/metrics.hpp"
#include "harness/statistics/metric_values.hpp"

namespace graphbench::codec {
namespace {

CellState state_of(model::CellStatus status) {
  switch (status) {
    case model::CellStatus::ok:
      return CellState::ok;
    case model::CellStatus::failed:
      return CellState::failed;
    case model::CellStatus::pending:
    case model::CellStatus::skipped:
      break;
  }
  return CellState::skipped;
}

LaunchTimes times_of(const model::Launch& launch) {
  LaunchTimes times;
  times.index = launch.index;
  for (const model::Metric metric : model::all_metrics()) {
    const std::optional<double> value = statistics::value_of(model::row_of(metric), launch);
    if (value && JsonWalk::can_be_median(*value)) times[metric] = *value;
  }
  return times;
}

}  // namespace

Document project(const model::Result& result, const std::string& source) {
  Document document;
  document.source = source;
  document.facts = facts_of(result);
  for (const model::CellResult& cell : result.cells) {
    DocumentCell& made = document.cells.emplace_back();
    made.id = model::id_of(cell.cell);
    made.state = state_of(cell.status);
    if (cell.status != model::CellStatus::ok) {
      const model::Reason reason = reason_of(cell);
      made.reason = reason.code + ": " + reason.message;
    }
    for (const model::Launch& launch : cell.launches) made.launches.push_back(times_of(launch));
  }
  return document;
}

}  // namespace graphbench::codec
