// How long the phases of a training step take on the device: a short pass of its own, so that steps that are
// timed are as they were.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "harness/model/result.hpp"

namespace graphbench::worker {

// Items of a step, [first, last), that are all of one phase: "forward", "backward", which sums of gradients
// belong to, or "optimizer".
struct PhaseRun {
  const char* phase = "";
  std::size_t first = 0;
  std::size_t last = 0;
};
// Empty if a graph of the step holds ops of several phases, because nothing separates their times.
std::vector<PhaseRun> phase_runs(const ir::Program& program, const std::vector<execution::StepItem>& items);

// Enqueues the parts of a step of `executor`, and calls `between` before each run and after the last. An
// eager executor must have made a step since anything else used its pool. It cannot serve a caller with
// memory of its own.
void submit_by_phases(Stream& stream, const std::vector<execution::StepItem>& items,
                      const std::vector<PhaseRun>& runs, const std::function<void(std::size_t)>& between);

// Writes medians into `training`; nothing if phases cannot be separated, or a caller has memory of its own.
// Steps go on from the current parameters.
void measure_phases(Device& device, Stream& stream, const ir::Program& program, execution::Executor& executor,
                    model::Training& training);

}  // namespace graphbench::worker
