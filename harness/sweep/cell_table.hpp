// Merges workers' reports into the cells of a sweep, and lists the cells that a worker has not reported yet.
// Estimates a sweep's end from the times of its workers. Reads no clock: the caller passes the time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/model/progress.hpp"
#include "harness/model/result.hpp"

namespace graphbench::sweep {

class CellTable {
 public:
  explicit CellTable(const model::Plan& plan);

  // Makes `task` the current task. The functions up to unreported_batches() are about its cells.
  void begin_task(const model::WorkerTask& task);
  // A cell that fails in one launch has failed; the first reason stays. Throws Error(invalid_argument) for a
  // cell that is not in the task or was already reported: its worker cannot be trusted.
  void add_cell(const model::CellResult& reported);
  // The cell of a reported batch, to add later facts. reported() and add_memory() throw for other batches.
  model::CellResult& reported(std::int64_t batch);
  void add_memory(std::int64_t batch, model::Memory memory);
  // Marks the task's cells as measured in an earlier run. `on` is its device; absent: this run's device.
  void mark_resumed(const std::optional<model::MeasuredOn>& on);
  // Divides a worker's time evenly over the batches that it reported and measured.
  void add_worker_seconds(double seconds, const std::vector<std::int64_t>& batches);
  // Marks all unreported batches of the task as failed, and returns their number.
  std::int64_t fail_unreported(const model::Reason& reason);
  // Marks the batch as failed. Returns false, and changes nothing, if the task has already reported the
  // batch.
  bool fail(std::int64_t batch, const model::Reason& reason);
  bool owes(std::int64_t batch) const { return owed_.contains(batch); }
  // In the task's order.
  std::vector<std::int64_t> unreported_batches() const;

  // Cells whose launches have all reported or failed, and that have the task's workload, preset, dtype, pass
  // and warmup, in any mode. Only such cells are compared with each other.
  std::vector<model::CellResult> done_beside_task() const;
  std::vector<model::CellResult> done() const;

  std::int64_t measurements() const { return measurements_; }  // (cell, launch) pairs reported or failed
  std::int64_t failures() const { return failures_; }

  // Marks cells without a measurement as skipped, with the reason `interrupted`.
  void skip_pending();
  const std::vector<model::CellResult>& cells() const { return cells_; }
  std::vector<model::CellResult> take_cells() { return std::move(cells_); }

 private:
  model::CellResult& cell_of(std::int64_t batch);
  model::Launch* launch_of(std::int64_t batch);  // null if none
  void count(std::int64_t batch, model::CellStatus status);
  std::size_t index_of(std::int64_t batch) const;

  std::vector<model::CellResult> cells_;
  std::unordered_map<std::string, std::size_t> index_;  // by id
  model::WorkerTask task_;
  std::unordered_set<std::int64_t> owed_;       // batches that the task has not reported
  std::vector<std::int64_t> launches_to_come_;  // per cell: launches that have not ended
  std::int64_t measurements_ = 0;
  std::int64_t failures_ = 0;
};

class ProgressTracker {
 public:
  explicit ProgressTracker(const model::Plan& plan) : ProgressTracker(plan, plan.tasks) {}
  // `left`: tasks of the `whole` plan that must still run. Counts the measurements of earlier runs too.
  ProgressTracker(const model::Plan& whole, const std::vector<model::WorkerTask>& left);

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
  // The mean time of the ended workers of this kind or, if no such worker has ended, of all ended workers. At
  // least one worker must have ended.
  double expected_seconds(const std::string& kind) const;

  model::Progress progress_;
  std::map<std::string, std::int64_t> waiting_;  // tasks not begun yet, by kind
  std::map<std::string, Mean> durations_;        // of ended tasks, by kind
  Mean all_;
  std::string running_;  // kind of the running task; empty between workers
  double started_at_seconds_ = 0;
};

}  // namespace graphbench::sweep
