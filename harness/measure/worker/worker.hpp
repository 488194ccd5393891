// What one worker process does: builds the program, prepares, captures and measures the whole batch
// ladder of one task, and reports what it finds as it goes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

namespace graphbench::worker {

// Receives what a worker finds, in the order it finds it. Called between timed regions only.
class WorkerEvents {
 public:
  virtual ~WorkerEvents() = default;
  virtual void device(const model::DeviceFacts& facts) = 0;
  // What the device chose for the whole ladder, once it is set up.
  virtual void choices(const std::vector<model::LibraryChoice>&) {}
  // `phase`: "prepare", "warmup", "capture", "measure", "sustain", "check", "shapes", "memory", as each
  // begins. "open", of batch 0: the device is given up and opened again.
  virtual void phase(std::int64_t batch, std::string_view phase) = 0;
  // A finished cell, ok or not, with at most one Launch; `memory` may follow.
  virtual void cell(const model::CellResult& result) = 0;
  virtual void memory(std::int64_t batch, const model::Memory& memory) = 0;

  // What the instruments found. `machine` follows its cell; `instrument` says whether "profiler" or
  // "monitor" could be used; `process` names one timeline.
  virtual void machine(std::int64_t, const model::LaunchMachine&) {}
  virtual void profile(std::int64_t, const model::Profile&) {}
  virtual void trace(const std::string& /*process*/, const std::vector<model::TraceSpan>&) {}
  virtual void instrument(std::string_view, const model::InstrumentState&) {}
  // The failure of this batch, just reported, may spoil what the process measures next: it ends here, and
  // leaves the batches that it has not reported to another.
  virtual void stopped(std::int64_t /*batch*/) {}
};

// Runs the task to its end. A batch that fails is reported as a cell with its reason, and the ladder goes on
// or, behind WorkerEvents::stopped(), ends. Throws Error only where no cell could be measured: no device, no
// such workload, a program that does not build.
void run_worker(const model::WorkerTask& task, WorkerEvents& events);

}  // namespace graphbench::worker
