// Estimates when a sweep will end, from how long its workers took. Pure: the caller passes the time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/model/progress.hpp"

namespace graphbench::sweep {

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
  // The mean over the workers of this kind that have ended, else over all, of which there is at least one.
  double expected_seconds(const std::string& kind) const;

  model::Progress progress_;
  std::map<std::string, std::int64_t> waiting_;  // tasks not begun yet, by kind
  std::map<std::string, Mean> durations_;        // of those that ended, by kind
  Mean all_;
  std::string running_;  // kind; empty between workers
  double started_at_seconds_ = 0;
};

}  // namespace graphbench::sweep
