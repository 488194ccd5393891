// The work of one worker process: it builds the program, prepares, captures and measures all batches of one
// task, and reports as it goes.
#pragma once

#include <functional>

#include "graphs/abi/plugin.hpp"
#include "harness/measure/worker/placement.hpp"
#include "harness/measure/worker/protocol.hpp"
#include "harness/measure/worker/startup_clock.hpp"

namespace graphbench::worker {

// Receives a worker's findings in the order in which they are made. It is called between timed regions only.
using Tell = std::function<void(const WorkerEvent&)>;

// Runs the task to its end. A batch that fails is reported as a cell with its reason, and the others go on
// or, behind WorkerEvent::stopped, ends. Throws Error only if no cell could be measured: no device, no
// such workload, a program that does not build. `lent`: a plugin record beside those that the task names,
// of a process that is not ours (docs/reference/plugins.md).
void run_worker(const model::WorkerTask& task, const Tell& tell, const abi::LentPlugin* lent = nullptr);

// For the processes of other commands: builds the task's program, or finds its step, opens the device and
// calls `work`. A step's batches are opened as they are asked for, and `alive` is called meanwhile. Throws
// what any of these throws.
void on_placement(const model::WorkerTask& task, StartupClock& clock, const abi::LentPlugin* lent,
                  const std::function<void()>& alive, const std::function<void(Placement&)>& work);

}  // namespace graphbench::worker
