// What this folder's programs share: a base workload at one batch in a GPU's memory, and comparisons of our
// submit time with a bare one, measured alternately in one process.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "tests/support/rig.hpp"

namespace graphbench::gpu {

// Returns what `run` returns for the first GPU; 77 without a GPU, 1 if it throws. Messages name `program`.
int run_on_gpu(const char* program, const std::function<int(Device&)>& run);

class GpuProgram {
 public:
  GpuProgram(Device& device, const abi::WorkloadRegistry& registry, const std::string& workload,
             std::int64_t batch);

  // Prepares, warms up, captures, instantiates and uploads an executor, and runs one step.
  std::unique_ptr<execution::Executor> ready_executor(execution::ExecutionMode mode);
  // Captures, instantiates and uploads an executor, without warmup and without a step.
  std::unique_ptr<execution::Executor> captured(execution::ExecutionMode mode) {
    return test::Rig::prepare(mode, rig_.context(), batch_);
  }
  Stream& stream() { return *stream_; }

 private:
  std::int64_t batch_;
  std::unique_ptr<Stream> stream_;
  test::Rig rig_;
};

// What is compared: a step of ours, and the same calls without us.
struct Pair {
  std::function<void()> ours;
  std::function<void()> bare;
};

// The medians of our and of the bare blocks, and the median ratio of neighbouring blocks with its 95 %
// interval.
struct Paired {
  double ours_us = 0.0;
  double bare_us = 0.0;
  double ratio = 0.0;
  double low = 0.0;
  double high = 0.0;
};
// A block that takes long has fewer samples: a graph of thousands of nodes takes 30 ms to be captured again.
constexpr std::size_t block_samples = 50, block_samples_min = 10;
constexpr std::chrono::milliseconds block_time_max{100};
// Times blocks of 50 submits of each side of each pair, `blocks` (at least 6 over all pairs) per round. The
// sides take turns, and either is first as often; the stream is idle before each submit. One round; with a
// limit of the ratio up to 16, until the interval lies to one side of it, because some hosts launch in
// several speeds.
Paired take_pairs(Stream& stream, std::size_t blocks, double limit, const std::vector<Pair>& pairs);

// result[i] is the median latency of steps[i], from the start of its submit until the host sees its end.
// Each step has `blocks` blocks of 50; the blocks of all steps alternate.
std::vector<double> take_latencies(Stream& stream, std::size_t blocks,
                                   const std::vector<std::function<void()>>& steps);

// Ends a printed line. Returns false if the interval of the ratio reaches above the limit; 0: no limit.
bool print_within(const Paired& paired, double limit);

}  // namespace graphbench::gpu
