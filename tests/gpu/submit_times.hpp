// Submit times of a step, ours against bare, taken alternately in one process.
#pragma once

#include <functional>
#include <vector>

#include "gpu_program.hpp"

namespace graphbench::gpu {

// Medians of blocks, and the median ratio over pairs of neighbouring blocks.
struct Paired {
  double ours_us = 0.0;
  double bare_us = 0.0;
  double ratio = 0.0;
};
constexpr std::size_t block_samples = 50;
// `blocks` of 50 submissions a side, alternating, the stream idle before each.
Paired take_pairs(Stream& stream, std::size_t blocks, const std::function<void()>& ours,
                  const std::function<void()>& bare);

// Each step's median from the start of its submission until the host sees it done, over `blocks` of 50 steps;
// the blocks of all steps in turn.
std::vector<double> take_latencies(Stream& stream, std::size_t blocks,
                                   const std::vector<std::function<void()>>& steps);

}  // namespace graphbench::gpu
