// Cells stand in the plan's order; a cell that failed in one launch has failed, and its first reason
// stays, as within a sweep.
#include "harness/verdict/ab/merge_result.hpp"

#include <algorithm>

#include "graphs/ir/error.hpp"
#include "harness/model/axes.hpp"
#include "harness/verdict/ab/merge_floors.hpp"
#include "harness/verdict/ab/merge_summary.hpp"

namespace graphbench::ab {
namespace {

// In a complete run cells are left out on purpose only.
void skip_unmeasured(std::vector<model::CellResult>& cells, bool complete) {
  const model::Reason reason =
      complete ? model::Reason{"not_repeated", "only what came out slower was measured again"}
               : model::Reason{"interrupted", "the run ended before this cell was measured"};
  for (model::CellResult& cell : cells) {
    if (cell.status != model::CellStatus::pending) continue;
    cell.status = model::CellStatus::skipped;
    cell.reason = reason;
  }
}

}  // namespace

void ResultMerge::add(const model::Result& result, const model::WorkerTask& task, std::int64_t launch) {
  model::WorkerTask measured = task;
  measured.launch = launch;
  table_.begin_task(measured);
  for (const std::int64_t batch : task.batches) {
    const model::Cell wanted = model::cell_of(task, batch);
    const auto cell = std::ranges::find(result.cells, wanted, &model::CellResult::cell);
    if (cell == result.cells.end())
      throw Error(ErrorCode::invalid_argument, "merge launches: no cell " + model::id_of(wanted));
    table_.add_cell(*cell);
    summaries_[model::id_of(wanted)].push_back(cell->summary);
  }
  if (result.environment.floors) floors_.push_back(*result.environment.floors);
  model::add_choices(choices_, result.environment.library_choices);
  if (!empty()) return;
  first_ = result;
  first_->cells.clear();
}

void ResultMerge::fail(const model::WorkerTask& task, const model::Reason& reason) {
  table_.begin_task(task);
  table_.fail_unreported(reason);
}

std::int64_t ResultMerge::cells_failed() const {
  return std::ranges::count(table_.cells(), model::CellStatus::failed, &model::CellResult::status);
}

model::Result ResultMerge::result(const RunFacts& facts) const {
  model::Result result = first_.value_or(model::Result());
  result.started_at = facts.started_at;
  result.finished_at = facts.finished_at;
  result.complete = facts.complete;
  result.plan = plan_.facts;
  if (first_) result.plan.method = first_->plan.method;  // another binary may measure otherwise
  result.plan.interleaved = model::Interleaved{facts.interleaved_id, facts.role};
  result.environment.floors = merge_floors(floors_);
  result.environment.library_choices = choices_;
  result.cells = table_.cells();
  skip_unmeasured(result.cells, facts.complete);
  summarize(result.cells, summaries_, result.environment.floors.value_or(model::Floors()));
  return result;
}

}  // namespace graphbench::ab
