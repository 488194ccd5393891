// The timing loops. Blocks alternate and are compared in pairs, so that drift of the machine, and a driver
// that launches at one of two speeds for a while, fall on both sides alike.
#include "submit_times.hpp"

#include <algorithm>
#include <chrono>

#include "bare_step.hpp"

namespace graphbench::gpu {
namespace {

constexpr std::size_t block_samples = 50;

double median(std::vector<double>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>((samples.size() - 1) / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

// The median of one block.
template <class Submit>
double take_block(Stream& stream, std::vector<double>& samples_us, const Submit& submit) {
  samples_us.clear();
  for (std::size_t i = 0; i < block_samples; ++i) {
    stream.synchronize();
    const auto start = std::chrono::steady_clock::now();
    submit();
    const auto stop = std::chrono::steady_clock::now();
    samples_us.push_back(std::chrono::duration<double, std::micro>(stop - start).count());
  }
  stream.synchronize();
  return median(samples_us);
}

}  // namespace

double Comparison::limit() const {
  switch (mode) {
    case execution::ExecutionMode::whole:
      return 1.05;
    case execution::ExecutionMode::piecewise:
      return 1.10;
    case execution::ExecutionMode::eager:
      break;
  }
  return 1.15;
}

Paired take_pairs(Stream& stream, std::size_t blocks, const std::function<void()>& ours,
                  const std::function<void()>& bare) {
  std::vector<double> block;
  std::vector<double> ours_us;
  std::vector<double> bare_us;
  std::vector<double> ratios;
  block.reserve(block_samples);
  for (std::size_t i = 0; i < blocks; ++i) {
    ours_us.push_back(take_block(stream, block, ours));
    bare_us.push_back(take_block(stream, block, bare));
    ratios.push_back(ours_us.back() / bare_us.back());
  }
  return {median(ours_us), median(bare_us), median(ratios)};
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

Comparison compare_submit(GpuProgram& program, execution::ExecutionMode mode, std::size_t samples) {
  const std::unique_ptr<execution::Executor> executor = program.ready_executor(mode);
  std::vector<BareCall> calls = bare_calls(*executor);
  Stream& stream = program.stream();
  const auto native_stream = static_cast<cudaStream_t>(stream.native_handle());
  const Paired paired = take_pairs(
      stream, (samples + block_samples - 1) / block_samples, [&] { executor->submit(); },
      [&] { submit_bare(calls, native_stream); });
  Comparison comparison;
  comparison.mode = mode;
  comparison.ours_us = paired.ours_us;
  comparison.bare_us = paired.bare_us;
  comparison.ratio = paired.ratio;
  return comparison;
}

}  // namespace graphbench::gpu
