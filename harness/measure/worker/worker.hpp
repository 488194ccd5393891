// The worker process, `graphbench --worker [PARENT]`. The sweep starts it, users do not. It builds the
// program and measures all batches of one task.
#pragma once

#include <functional>
#include <string_view>

#include "graphs/abi/plugin.hpp"
#include "harness/measure/worker/placement.hpp"
#include "harness/measure/worker/protocol.hpp"
#include "harness/measure/worker/startup_clock.hpp"

namespace graphbench::measure {

// Receives a worker's events in their order. It is called only between timed regions.
using Tell = std::function<void(const WorkerEvent&)>;

// Runs the task to its end. A failed batch is reported as a cell with its reason. The other batches continue,
// unless WorkerEvent::stopped was reported. Throws Error only if no cell could be measured: no device,
// unknown workload, or a program that cannot be built. `lent`: a plugin of the program that runs the worker,
// in addition to the task's plugins (docs/reference/plugins.md).
void run_worker(const model::WorkerTask& task, const Tell& tell, const abi::LentPlugin* lent = nullptr);

// Reads the task from stdin, runs it, and sends events on file descriptor 3. Returns the exit code: 0, or 1
// after WorkerEvent::error. `parent`: the parent's process id, or "" (process::die_with_parent). `lent`: a
// plugin of the program that runs this process and provides the step, such as Python; null: no such program.
int worker_main(std::string_view parent, const abi::LentPlugin* lent);

// For the processes of other commands: builds the task's program or finds its foreign step, opens the device
// and calls `work`. Opens a foreign step's batches at their first use, and calls `alive` meanwhile. Throws
// the exceptions of all of these.
void on_placement(const model::WorkerTask& task, StartupClock& clock, const abi::LentPlugin* lent,
                  const std::function<void()>& alive, const std::function<void(Placement&)>& work);

}  // namespace graphbench::measure
