// Builds executors in preset base and bf16. Blocks of both sides alternate and are compared in pairs, so
// that drift, and a driver that launches at one of two speeds for a while, affect both alike.
#include "gpu_program.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "graphs/cuda/cuda_device.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::gpu {
namespace {

double median(std::vector<double>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>((samples.size() - 1) / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

template <class Submit>
double take_block(Stream& stream, std::vector<double>& samples_us, const Submit& submit) {
  samples_us.clear();
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < block_samples; ++i) {
    stream.synchronize();
    const auto start = std::chrono::steady_clock::now();
    if (i >= block_samples_min && start - begin > block_time_max) break;
    submit();
    const auto stop = std::chrono::steady_clock::now();
    samples_us.push_back(std::chrono::duration<double, std::micro>(stop - start).count());
  }
  stream.synchronize();
  return median(samples_us);
}

}  // namespace

int run_on_gpu(const char* program, const std::function<int(Device&)>& run) {
  try {
    cuda::CudaBackend backend;
    const DeviceStatus status = backend.devices().front();
    if (status.available) return run(*backend.open(0));
    std::fprintf(stderr, "%s: skipped, needs a GPU: %s; %s\n", program, status.detail.c_str(),
                 status.advice.c_str());
    return 77;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
  }
}

GpuProgram::GpuProgram(Device& device, const abi::WorkloadRegistry& registry, const std::string& workload,
                       std::int64_t batch)
    : batch_(batch),
      stream_(device.make_stream()),
      rig_(device, *stream_,
           registry.build(workload,
                          {.preset = "base", .dtype = ir::DType::bf16, .pass = "forward", .options = {}}),
           batch, test::Rig::Layout::together) {}

std::unique_ptr<execution::Executor> GpuProgram::ready_executor(execution::ExecutionMode mode) {
  std::unique_ptr<execution::Executor> executor = rig_.prepare(mode, batch_);
  executor->submit();
  stream_->synchronize();
  return executor;
}

Paired take_pairs(Stream& stream, std::size_t blocks, double limit, const std::vector<Pair>& pairs) {
  constexpr int rounds_max = 16;
  std::vector<double> block;
  std::vector<double> ours_us;
  std::vector<double> bare_us;
  std::vector<double> ratios;
  block.reserve(block_samples);
  for (int round = 0;; ++round) {
    for (std::size_t i = 0; i < blocks; ++i) {
      for (const Pair& pair : pairs) {
        const bool bare_first = i % 2 != 0;
        if (bare_first) bare_us.push_back(take_block(stream, block, pair.bare));
        ours_us.push_back(take_block(stream, block, pair.ours));
        if (!bare_first) bare_us.push_back(take_block(stream, block, pair.bare));
        ratios.push_back(ours_us.back() / bare_us.back());
      }
    }
    std::ranges::sort(ratios);
    const model::MedianInterval interval = model::median_interval(ratios).value();
    const bool decided = limit == 0 || interval.high <= limit || interval.low > limit;
    if (decided || round + 1 == rounds_max)
      return {median(ours_us), median(bare_us), median(ratios), interval.low, interval.high};
  }
}

std::vector<double> take_latencies(Stream& stream, std::size_t blocks,
                                   const std::vector<std::function<void()>>& steps) {
  std::vector<double> block;
  std::vector<std::vector<double>> medians_us(steps.size());
  for (std::size_t i = 0; i < blocks; ++i) {
    for (std::size_t k = 0; k < steps.size(); ++k) {
      medians_us[k].push_back(take_block(stream, block, [&] {
        steps[k]();
        stream.synchronize();
      }));
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& each : medians_us) medians.push_back(median(each));
  return medians;
}

bool print_within(const Paired& paired, double limit) {
  const bool within = limit == 0 || paired.high <= limit;
  std::printf(" %10.2f %10.2f %7.3f %7.3f %7.3f %6.2f%s\n", paired.ours_us, paired.bare_us, paired.ratio,
              paired.low, paired.high, limit, within ? "" : "  OVER");
  std::fflush(stdout);
  return within;
}

}  // namespace graphbench::gpu
