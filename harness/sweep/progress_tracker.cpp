// Workers of one workload, dtype and mode take about as long as each other: the estimate is by kind.
#include "harness/sweep/progress_tracker.hpp"

#include <algorithm>

namespace graphbench::sweep {

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
