// Runs a plan: one worker process after the other, also after one that failed.
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
  // The tasks that an earlier run of this plan finished, and the receiver of newly finished tasks (none: they
  // are not kept).
  std::vector<FinishedTask> finished = {};
  std::function<void(const FinishedTask&)> keep = nullptr;
  bool keep_samples = false;                 // true: all samples of kept tasks; false: the first steps alone
  std::string hostname = {};                 // this machine's
  std::optional<model::Floors> floors = {};  // floors that finished cells are compared with
  std::string finished_in = {};  // begins messages about `finished`: the option and the journal's file
};

struct SweepOutcome {
  model::Result result;
  bool interrupted = false;
  std::int64_t cells_failed = 0;
  std::vector<std::string> warnings;       // warnings about failures that cost no cell
  std::vector<model::TraceProcess> trace;  // timelines of the profiling passes, if asked for
};

// A worker that crashes, hangs or is killed costs the batch it was at, failed with the reason: the batches
// that it had not reported are measured again, without that one, in another worker. Where it was at no batch,
// they all fail. Later launches leave such a batch out. `facts`: the device as the probe saw it; a worker's
// own account replaces it.
SweepOutcome run_sweep(const model::Plan& plan, const model::DeviceFacts& facts,
                       const SweepSettings& settings, process::ProcessSupervisor& supervisor,
                       SweepListener& listener);

}  // namespace graphbench::sweep
