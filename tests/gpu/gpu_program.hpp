// A program of this folder on a GPU, a base workload at one batch with its memory there, ready for executors,
// and submit times of a step, ours against bare, taken alternately in one process.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "tests/support/rig.hpp"

namespace graphbench::gpu {

// What `run` returns on the first GPU; 77 where there is none, 1 where it throws. Says which `program` it is.
int run_on_gpu(const char* program, const std::function<int(Device&)>& run);

class GpuProgram {
 public:
  GpuProgram(Device& device, const abi::WorkloadRegistry& registry, const std::string& workload,
             std::int64_t batch);

  // Prepared, warmed up, captured, instantiated and uploaded, with one step run.
  std::unique_ptr<execution::Executor> ready_executor(execution::ExecutionMode mode);
  // Captured, instantiated and uploaded alone.
  std::unique_ptr<execution::Executor> captured(execution::ExecutionMode mode) {
    return test::Rig::prepare(mode, rig_.context(), batch_);
  }
  Stream& stream() { return *stream_; }

 private:
  std::int64_t batch_;
  std::unique_ptr<Stream> stream_;
  test::Rig rig_;
};

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

// Prints both and their ratio behind what the line begins with, and says whether it is within the limit; 0:
// there is none.
bool print_within(const Paired& paired, double limit);

}  // namespace graphbench::gpu
