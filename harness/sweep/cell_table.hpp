// The cells of a sweep as workers fill them in: merges launches, and knows which cells a worker still
// owes. Pure: no clock, no processes.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/model/plan.hpp"
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
  // The cell of a batch that the task has reported, for what is known of it later. Throws likewise.
  model::CellResult& reported(std::int64_t batch);
  // The task's cells were measured before an interruption; `on`: where that was another device.
  void mark_resumed(const std::optional<model::MeasuredOn>& on);
  // The time of a worker of the task, which reported these batches: a share to each that it measured.
  void add_worker_seconds(double seconds, const std::vector<std::int64_t>& batches);
  // Every cell that the task has not reported fails with this reason. Returns how many there were.
  std::int64_t fail_unreported(const model::Reason& reason);
  // One of them fails; false where the task has reported it.
  bool fail(std::int64_t batch, const model::Reason& reason);
  bool owes(std::int64_t batch) const { return owed_.contains(batch); }
  // The task's batches that it has not reported, in the task's order.
  std::vector<std::int64_t> unreported_batches() const;

  // Cells whose launches have all reported or failed, of the task's workload, preset, dtype, pass and
  // warmup, in all modes: what can be compared with each other.
  std::vector<model::CellResult> done_beside_task() const;
  // The same of the whole plan.
  std::vector<model::CellResult> done() const;

  std::int64_t measurements() const { return measurements_; }  // (cell, launch) pairs reported or failed
  std::int64_t failures() const { return failures_; }          // of them

  // Cells that no launch measured become skipped, reason `interrupted`.
  void skip_pending();
  const std::vector<model::CellResult>& cells() const { return cells_; }
  std::vector<model::CellResult> take_cells() { return std::move(cells_); }

 private:
  model::CellResult& cell_of(std::int64_t batch);
  model::Launch* launch_of(std::int64_t batch);  // the task's; null where the cell has none
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

}  // namespace graphbench::sweep
