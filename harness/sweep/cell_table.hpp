// The cells of a sweep as workers fill them in: merges launches, and knows which cells a worker has still to
// report. Estimates when the sweep will end, from the times of its workers. Pure: the caller passes the time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/model/progress.hpp"
#include "harness/model/result.hpp"

namespace graphbench::sweep {

class CellTable {
 public:
  explicit CellTable(const model::Plan& plan);

  // From here on events are about this task's cells.
  void begin_task(const model::WorkerTask& task);
  // A finished cell of the task. A cell that failed in one launch has failed, whatever the others
  // found; its first reason stays. Throws Error(invalid_argument) for a cell that the task does not
  // have or has reported already: the worker is not to be trusted then.
  void add_cell(const model::CellResult& reported);
  // The cell of a batch that the task has reported, for facts that arrive later. Throws if there is none.
  model::CellResult& reported(std::int64_t batch);
  // Adds a worker's memory figures of a batch that it has reported. Throws if it has not.
  void add_memory(std::int64_t batch, model::Memory memory);
  // The task's cells were measured before an interruption; `on` is the device, if it was another one.
  void mark_resumed(const std::optional<model::MeasuredOn>& on);
  // Divides the time of a worker of the task over the batches that it reported and measured.
  void add_worker_seconds(double seconds, const std::vector<std::int64_t>& batches);
  // Every cell that the task has not reported fails with this reason. Returns how many there were.
  std::int64_t fail_unreported(const model::Reason& reason);
  // Marks one cell as failed; returns false if the task has already reported it.
  bool fail(std::int64_t batch, const model::Reason& reason);
  bool owes(std::int64_t batch) const { return owed_.contains(batch); }
  // The task's batches that it has not reported, in the task's order.
  std::vector<std::int64_t> unreported_batches() const;

  // Cells of the task's workload, preset, dtype, pass and warmup, in all modes, whose launches have all
  // reported or failed. They can be compared with each other.
  std::vector<model::CellResult> done_beside_task() const;
  // The finished part of the whole plan.
  std::vector<model::CellResult> done() const;

  std::int64_t measurements() const { return measurements_; }  // (cell, launch) pairs reported or failed
  std::int64_t failures() const { return failures_; }          // measurements that failed

  // Cells that no launch measured become skipped, reason `interrupted`.
  void skip_pending();
  const std::vector<model::CellResult>& cells() const { return cells_; }
  std::vector<model::CellResult> take_cells() { return std::move(cells_); }

 private:
  model::CellResult& cell_of(std::int64_t batch);
  model::Launch* launch_of(std::int64_t batch);  // the task's launch in the cell; null if it has none
  void count(std::int64_t batch, model::CellStatus status);
  std::size_t index_of(std::int64_t batch) const;

  std::vector<model::CellResult> cells_;
  std::unordered_map<std::string, std::size_t> index_;  // by id
  model::WorkerTask task_;
  std::unordered_map<std::int64_t, bool> owed_;  // batches of the task not reported yet
  std::vector<std::int64_t> launches_to_come_;   // of each cell
  std::int64_t measurements_ = 0;
  std::int64_t failures_ = 0;
};

class ProgressTracker {
 public:
  explicit ProgressTracker(const model::Plan& plan) : ProgressTracker(plan, plan.tasks) {}
  // `whole`: the plan of the complete sweep; `left`: its tasks that are still to run. Measurements
  // are those of the complete sweep, taken over or new.
  ProgressTracker(const model::Plan& whole, const std::vector<model::WorkerTask>& left);

  // The task will not run.
  void drop_task(const model::WorkerTask& task);
  void begin_task(const model::WorkerTask& task, double now_seconds);
  void phase(std::int64_t batch, const std::string& phase);
  void end_task(double now_seconds);

  model::Progress at(double now_seconds, std::int64_t measurements, std::int64_t failures) const;

 private:
  struct Mean {
    double sum_seconds = 0;
    std::int64_t count = 0;
  };
  static std::string kind_of(const model::WorkerTask& task);
  // The mean over the workers of this kind that have ended, else over all workers that have ended. At least
  // one has.
  double expected_seconds(const std::string& kind) const;

  model::Progress progress_;
  std::map<std::string, std::int64_t> waiting_;  // tasks not begun yet, by kind
  std::map<std::string, Mean> durations_;        // durations of ended tasks, by kind
  Mean all_;
  std::string running_;  // kind; empty between workers
  double started_at_seconds_ = 0;
};

}  // namespace graphbench::sweep
