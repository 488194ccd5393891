// Measures the device times of a training step's phases in a short separate pass, so that timed steps have
// no extra events.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "harness/model/result.hpp"

namespace graphbench::measure {

// Items [first, last) of a step in one phase: "forward", "backward" (with sums of gradients), "optimizer".
struct PhaseRun {
  const char* phase = "";
  std::size_t first = 0;
  std::size_t last = 0;
};
// Empty if a graph has ops of several phases, because their times cannot be separated.
std::vector<PhaseRun> phase_runs(const ir::Program& program, const std::vector<execution::StepItem>& items);

// Enqueues the items of a step, and calls `between` before each run and after the last. An eager executor's
// pool must not have been used since its last step. The caller must not have its own memory (--io).
void submit_by_phases(Stream& stream, const std::vector<execution::StepItem>& items,
                      const std::vector<PhaseRun>& runs, const std::function<void(std::size_t)>& between);

// Writes medians into `training`. Does nothing if phases cannot be separated or the caller has its own
// memory. Steps continue from the current parameters.
void measure_phases(Device& device, Stream& stream, const ir::Program& program, execution::Executor& executor,
                    model::Training& training);

}  // namespace graphbench::measure
