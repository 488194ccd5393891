// Merges launches into one result, with cells in the plan's order, by the same rules as harness/sweep.
#include <algorithm>
#include <cmath>

#include "graphs/base/error.hpp"
#include "harness/judge/ab/run_interleaved.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/instrument_fields.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/statistics/cell_summary.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::judge {
namespace {

using model::Floors;

void merge_floor(const std::vector<Floors>& all, std::optional<model::Floor> Floors::*member,
                 Floors& merged) {
  std::vector<double> p50;
  std::int64_t count = 0;
  for (const Floors& floors : all) {
    if (!(floors.*member)) continue;
    p50.push_back((floors.*member)->p50);
    count += (floors.*member)->count;
  }
  if (!p50.empty()) merged.*member = model::Floor{.p50 = model::median(std::move(p50)), .count = count};
}

void merge_floor(const std::vector<Floors>& all, std::optional<double> Floors::*member, Floors& merged) {
  std::vector<double> values;
  for (const Floors& floors : all) {
    if (floors.*member) values.push_back(*(floors.*member));
  }
  if (!values.empty()) merged.*member = model::median(std::move(values));
}

void merge_floor(const std::vector<Floors>& all, std::vector<model::FloorShape> Floors::*member,
                 Floors& merged) {
  merged.*member = all.front().*member;
}

void merge_floor(const std::vector<Floors>& all, std::optional<model::ExecMemoryFloor> Floors::*member,
                 Floors& merged) {
  merged.*member = all.front().*member;
}

using model::CellSummary;
using Summaries = std::vector<CellSummary>;

template <typename Number>
std::optional<double> own_median(const Summaries& own, Number&& number) {
  std::vector<double> values;
  for (const CellSummary& summary : own) {
    if (const std::optional<double> value = number(summary)) values.push_back(*value);
  }
  if (values.empty() || 2 * values.size() < own.size()) return std::nullopt;
  return model::median(std::move(values));
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

// Marks unmeasured cells as skipped. In a complete run, they are cells that --confirm did not measure again.
void skip_unmeasured(std::vector<model::CellResult>& cells, bool complete) {
  const model::Reason reason =
      complete ? model::Reason{"not_repeated", "only cells that were slower were measured again"}
               : model::Reason{"interrupted", "the run ended before this cell was measured"};
  for (model::CellResult& cell : cells) {
    if (cell.status != model::CellStatus::pending) continue;
    cell.status = model::CellStatus::skipped;
    cell.reason = reason;
  }
}

// Merges each floor to its median over the sweeps that have it, and sums its sample counts. Floors by node
// count and floors of GraphExec memory come from the first sweep. Absent if no sweep has floors.
std::optional<Floors> merge_floors(const std::vector<Floors>& floors) {
  if (floors.empty()) return std::nullopt;
  Floors merged{};
  std::apply([&](const auto&... field) { (merge_floor(floors, field.member, merged), ...); },
             model::Description<Floors>::fields);
  return merged;
}

// Computes the summaries of cells. `own` has the summaries of single launches by cell id: within_launch and
// steady_after are made from them, because they need all samples of a launch. `floors` are those of the
// merged result, so that its reader can recompute submit_over_floor.
void summarize(std::vector<model::CellResult>& cells, const std::map<std::string, Summaries>& own,
               const model::Floors& floors) {
  model::summarize_cells(cells);
  for (model::CellResult& cell : cells) {
    if (cell.status != model::CellStatus::ok) {
      cell.summary = CellSummary();
      continue;
    }
    const auto launches = own.find(model::id_of(cell.cell));
    take_from_launches(cell.summary, launches == own.end() ? Summaries() : launches->second);
  }
  model::add_submit_over_floor(floors, cells);
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
      throw Error(ErrorCode::invalid_argument,
                  "merge launches: the document has no cell " + model::id_of(wanted));
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

model::Result ResultMerge::result(const model::Interleaved& side, bool complete) const {
  model::Result result = first_.value_or(model::Result());
  result.complete = complete;
  result.plan = plan_.facts;
  if (first_) result.plan.method = first_->plan.method;  // the side's binary may measure with another method
  result.plan.interleaved = side;
  if (!side.looks.empty()) result.plan.launches = side.looks.back();
  result.environment.floors = merge_floors(floors_);
  result.environment.library_choices = choices_;
  result.cells = table_.cells();
  skip_unmeasured(result.cells, complete);
  summarize(result.cells, summaries_, result.environment.floors.value_or(model::Floors()));
  model::add_launch_bound(result.environment.device.kind, result.cells);
  return result;
}

}  // namespace graphbench::judge
