// Merges launches into cells. A cell has the worst status of its launches, and passes the check only if all
// its launches pass.
#include "harness/sweep/cell_table.hpp"

#include <algorithm>
#include <cmath>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"

namespace graphbench::sweep {
namespace {

void merge_check(std::optional<model::Check>& merged, const std::optional<model::Check>& check) {
  if (!check) return;
  if (!merged) {
    merged = check;
    return;
  }
  merged->identical = merged->identical && check->identical;
  // NaN: not finite, as it was read from a worker.
  if (!std::isnan(merged->max_abs_error) && !(check->max_abs_error <= merged->max_abs_error))
    merged->max_abs_error = check->max_abs_error;
  if (!merged->tolerated) merged->tolerated = check->tolerated;
  if (!merged->state) merged->state = check->state;
  if (!merged->inputs) merged->inputs = check->inputs;
  for (const std::string& remark : check->remarks) {
    if (!contains(merged->remarks, remark)) merged->remarks.push_back(remark);
  }
}

// The enumerators are ordered from best to worst.
bool worse(model::CellStatus status, model::CellStatus so_far) {
  return static_cast<int>(status) > static_cast<int>(so_far);
}

// Keeps the choices of all launches, so that the document shows a launch that chose differently.
void merge_paths(std::vector<model::OpPath>& merged, const std::vector<model::OpPath>& paths) {
  for (const model::OpPath& path : paths) {
    if (!contains(merged, path)) merged.push_back(path);
  }
}

void merge_status(model::CellResult& cell, model::CellStatus status,
                  const std::optional<model::Reason>& reason) {
  if (!worse(status, cell.status)) return;
  cell.status = status;
  cell.reason = status == model::CellStatus::ok ? std::nullopt : reason;
}

}  // namespace

CellTable::CellTable(const model::Plan& plan) {
  cells_.reserve(plan.cells.size());
  index_.reserve(plan.cells.size());
  for (const model::Cell& cell : plan.cells) {
    index_.emplace(model::id_of(cell), cells_.size());
    cells_.emplace_back().cell = cell;
  }
  launches_to_come_.assign(cells_.size(), 0);
  for (const model::WorkerTask& task : plan.tasks) {
    for (const std::int64_t batch : task.batches) {
      const auto found = index_.find(model::id_of(model::cell_of(task, batch)));
      if (found != index_.end()) ++launches_to_come_[found->second];
    }
  }
}

void CellTable::begin_task(const model::WorkerTask& task) {
  task_ = task;
  owed_.clear();
  for (const std::int64_t batch : task.batches) owed_.insert(batch);
}

std::size_t CellTable::index_of(std::int64_t batch) const {
  const std::string id = model::id_of(model::cell_of(task_, batch));
  const auto found = index_.find(id);
  if (found == index_.end())
    throw Error(ErrorCode::invalid_argument, "merge cell " + id + ": the cell is not in the plan");
  return found->second;
}

model::CellResult& CellTable::cell_of(std::int64_t batch) {
  return cells_[index_of(batch)];
}

model::Launch* CellTable::launch_of(std::int64_t batch) {
  std::vector<model::Launch>& launches = cell_of(batch).launches;
  const auto found = std::ranges::find(launches, task_.launch, &model::Launch::index);
  return found == launches.end() ? nullptr : &*found;
}

void CellTable::count(std::int64_t batch, model::CellStatus status) {
  ++measurements_;
  --launches_to_come_[index_of(batch)];
  if (status == model::CellStatus::failed) ++failures_;
}

void CellTable::add_cell(const model::CellResult& reported) {
  const std::string id = model::id_of(reported.cell);
  if (reported.cell != model::cell_of(task_, reported.cell.batch) || owed_.erase(reported.cell.batch) == 0) {
    throw Error(ErrorCode::invalid_argument,
                "merge cell " + id + ": the worker does not measure this cell, or has reported it before");
  }
  if (reported.status == model::CellStatus::pending) {
    throw Error(ErrorCode::invalid_argument, "merge cell " + id + ": the cell has no outcome");
  }
  model::CellResult& cell = cell_of(reported.cell.batch);
  merge_status(cell, reported.status, reported.reason);
  merge_check(cell.check, reported.check);
  merge_paths(cell.paths, reported.paths);
  if (reported.graph) cell.graph = reported.graph;
  if (reported.tuned) cell.tuned = reported.tuned;
  if (reported.caller_io) cell.caller_io = reported.caller_io;
  const bool first = cell.launches.empty() || task_.launch < cell.launches.front().index;
  if (reported.counters && (first || !cell.counters)) cell.counters = reported.counters;
  if (reported.training) cell.training = reported.training;
  if (reported.shape_walk) cell.shape_walk = reported.shape_walk;
  if (reported.cache) {
    if (!cell.cache) cell.cache.emplace();
    model::add(*cell.cache, *reported.cache);
  }
  if (!cell.package) cell.package = reported.package;
  if (!reported.library.empty()) cell.library = reported.library;
  if (!reported.rewrites.empty()) cell.rewrites = reported.rewrites;
  if (!reported.fallback.empty()) {
    cell.fallback = reported.fallback;
    cell.fallback_reason = reported.fallback_reason;
  }
  if (!reported.capture_skips.empty()) cell.capture_skips = reported.capture_skips;
  if (reported.records) cell.records = reported.records;
  if (reported.profile) cell.profile = reported.profile;
  if (reported.memory) cell.memory = reported.memory;
  for (model::Launch launch : reported.launches) {
    launch.index = task_.launch;
    // Sorts the launches by index, because those of an earlier run are added first, whatever their index.
    const auto behind = std::ranges::upper_bound(cell.launches, launch.index, {}, &model::Launch::index);
    cell.launches.insert(behind, std::move(launch));
  }
  count(reported.cell.batch, reported.status);
}

model::CellResult& CellTable::reported(std::int64_t batch) {
  if (owes(batch) || !contains(task_.batches, batch)) {
    throw Error(ErrorCode::invalid_argument, "add to the result of batch " + std::to_string(batch) +
                                                 ": the worker has not reported that cell");
  }
  return cell_of(batch);
}

void CellTable::add_memory(std::int64_t batch, model::Memory memory) {
  std::optional<model::Memory>& known = reported(batch).memory;
  if (known && !memory.exec_bytes) {  // only the first launch measures execs
    memory.exec_bytes = known->exec_bytes;
    memory.exec_resolution_bytes = known->exec_resolution_bytes;
  }
  known = std::move(memory);
}

void CellTable::mark_resumed(const std::optional<model::MeasuredOn>& on) {
  for (const std::int64_t batch : task_.batches) {
    model::CellResult& cell = cell_of(batch);
    cell.resumed = true;
    cell.measured_on = on;
  }
}

void CellTable::add_worker_seconds(double seconds, const std::vector<std::int64_t>& batches) {
  std::vector<model::Launch*> launches;
  for (const std::int64_t batch : batches) {
    if (model::Launch* launch = launch_of(batch)) launches.push_back(launch);
  }
  for (model::Launch* launch : launches)
    launch->worker_seconds = seconds / static_cast<double>(launches.size());
}

bool CellTable::fail(std::int64_t batch, const model::Reason& reason) {
  if (owed_.erase(batch) == 0) return false;
  merge_status(cell_of(batch), model::CellStatus::failed, reason);
  count(batch, model::CellStatus::failed);
  return true;
}

std::int64_t CellTable::fail_unreported(const model::Reason& reason) {
  const std::vector<std::int64_t> batches = unreported_batches();
  for (const std::int64_t batch : batches) fail(batch, reason);
  return static_cast<std::int64_t>(batches.size());
}

std::vector<std::int64_t> CellTable::unreported_batches() const {
  std::vector<std::int64_t> batches = task_.batches;
  std::erase_if(batches, [&](std::int64_t batch) { return !owed_.contains(batch); });
  return batches;
}

std::vector<model::CellResult> CellTable::done_beside_task() const {
  std::vector<model::CellResult> done;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const model::Cell& cell = cells_[i].cell;
    const bool beside = model::reference_of(cell) == model::reference_of(model::cell_of(task_, cell.batch));
    if (launches_to_come_[i] == 0 && beside) done.push_back(cells_[i]);
  }
  return done;
}

std::vector<model::CellResult> CellTable::done() const {
  std::vector<model::CellResult> done;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (launches_to_come_[i] == 0) done.push_back(cells_[i]);
  }
  return done;
}

void CellTable::skip_pending() {
  for (model::CellResult& cell : cells_) {
    if (cell.status != model::CellStatus::pending) continue;
    cell.status = model::CellStatus::skipped;
    cell.reason = model::Reason{"interrupted", "the sweep was interrupted before this cell was measured"};
  }
}

ProgressTracker::ProgressTracker(const model::Plan& whole, const std::vector<model::WorkerTask>& left) {
  progress_.tasks_total = static_cast<std::int64_t>(whole.tasks.size());
  progress_.tasks_done = progress_.tasks_total - static_cast<std::int64_t>(left.size());
  for (const model::WorkerTask& task : whole.tasks)
    progress_.cells_total += static_cast<std::int64_t>(task.batches.size());
  for (const model::WorkerTask& task : left) ++waiting_[kind_of(task)];
}

std::string ProgressTracker::kind_of(const model::WorkerTask& task) {
  return task.workload + " " + task.dtype + " " + task.mode;
}

void ProgressTracker::drop_task(const model::WorkerTask& task) {
  --waiting_[kind_of(task)];
  --progress_.tasks_total;
  progress_.cells_total -= static_cast<std::int64_t>(task.batches.size());
}

void ProgressTracker::begin_task(const model::WorkerTask& task, double now_seconds) {
  running_ = kind_of(task);
  --waiting_[running_];
  started_at_seconds_ = now_seconds;
  progress_.worker = running_ + " w" + std::to_string(task.warmup);
  progress_.phase = "start";
  progress_.batch = 0;
}

void ProgressTracker::phase(std::int64_t batch, const std::string& phase) {
  progress_.batch = batch;
  progress_.phase = phase;
}

void ProgressTracker::end_task(double now_seconds) {
  const double took = now_seconds - started_at_seconds_;
  for (Mean* mean : {&durations_[running_], &all_}) {
    mean->sum_seconds += took;
    ++mean->count;
  }
  ++progress_.tasks_done;
  running_.clear();
  progress_.worker.clear();
  progress_.phase.clear();
  progress_.batch = 0;
}

double ProgressTracker::expected_seconds(const std::string& kind) const {
  const auto found = durations_.find(kind);
  const Mean& mean = found == durations_.end() ? all_ : found->second;
  return mean.sum_seconds / static_cast<double>(mean.count);
}

model::Progress ProgressTracker::at(double now_seconds, std::int64_t measurements,
                                    std::int64_t failures) const {
  model::Progress progress = progress_;
  progress.elapsed_seconds = now_seconds;
  progress.cells_done = measurements;
  progress.failures = failures;
  if (all_.count == 0) return progress;
  double eta = 0;
  for (const auto& [kind, count] : waiting_) eta += static_cast<double>(count) * expected_seconds(kind);
  if (!running_.empty())
    eta += std::max(0.0, expected_seconds(running_) - (now_seconds - started_at_seconds_));
  progress.eta_seconds = eta;
  return progress;
}

}  // namespace graphbench::sweep
