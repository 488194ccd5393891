// Submit times of a step, ours against bare, taken alternately in one process.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu_program.hpp"

namespace graphbench::gpu {

struct Comparison {
  std::string workload;
  std::int64_t batch = 0;
  execution::ExecutionMode mode = execution::ExecutionMode::eager;
  double ours_us = 0.0;  // medians of the blocks' medians
  double bare_us = 0.0;
  double ratio = 0.0;  // median over pairs of neighbouring blocks

  double limit() const;
  bool within() const { return ratio <= limit(); }
};

// Medians of blocks, and the median ratio over pairs of neighbouring blocks.
struct Paired {
  double ours_us = 0.0;
  double bare_us = 0.0;
  double ratio = 0.0;
};
// `blocks` of 50 submissions a side, alternating, the stream idle before each.
Paired take_pairs(Stream& stream, std::size_t blocks, const std::function<void()>& ours,
                  const std::function<void()>& bare);

// Each step's median from the start of its submission until the host sees it done, over `blocks` of 50 steps;
// the blocks of all steps in turn.
std::vector<double> take_latencies(Stream& stream, std::size_t blocks,
                                   const std::vector<std::function<void()>>& steps);

// `samples` a side, in alternating blocks, the stream idle before each.
Comparison compare_submit(GpuProgram& program, execution::ExecutionMode mode, std::size_t samples);

}  // namespace graphbench::gpu
