// Runs the tasks of a plan in worker processes, one after the other, and continues if a worker fails.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"
#include "harness/sweep/journal.hpp"
#include "harness/sweep/sweep_listener.hpp"

namespace graphbench::sweep {

struct SweepSettings {
  std::vector<std::string> worker_command;  // process::own_command("--worker")
  double worker_silent_seconds_max = 120;
  // `finished`: the tasks that an earlier run of this plan has finished. `keep` is called with each newly
  // finished task; null: no journal.
  std::vector<FinishedTask> finished = {};
  std::function<void(const FinishedTask&)> keep = nullptr;
  bool keep_samples = false;  // in finished tasks; false: only the first steps' latencies
  std::string hostname = {};
  std::optional<model::Floors> floors = {};  // for each cell's ratio to the floors
  std::string finished_in = {};              // the beginning of messages about `finished`: option and journal
};

struct SweepOutcome {
  model::Result result;
  bool interrupted = false;
  std::int64_t cells_failed = 0;
  std::vector<std::string> warnings;       // about failures that affect no cell
  std::vector<model::TraceProcess> trace;  // timelines of the profiling passes, if requested
};

// Fills in version, plan, time and environment. Keeps the result's library choices.
void finish_result(const model::Plan& plan, const model::DeviceFacts& facts, model::Result& result);

// A batch at which a worker crashes, hangs or is killed fails with that reason. Another worker then measures
// the unreported batches, and later launches skip the failed one. If the worker was at no batch, all
// unreported batches fail. `facts` are the probe's facts about the device, which the workers' facts replace.
SweepOutcome run_sweep(const model::Plan& plan, const model::DeviceFacts& facts,
                       const SweepSettings& settings, process::ProcessSupervisor& supervisor,
                       SweepListener& listener);

}  // namespace graphbench::sweep
