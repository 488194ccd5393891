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

Comparison compare_submit(GpuProgram& program, execution::ExecutionMode mode, std::size_t samples) {
  const std::unique_ptr<execution::Executor> executor = program.ready_executor(mode);
  std::vector<BareCall> calls = bare_calls(*executor);
  Stream& stream = program.stream();
  const auto native_stream = static_cast<cudaStream_t>(stream.native_handle());
  std::vector<double> block;
  std::vector<double> ours;
  std::vector<double> bare;
  std::vector<double> ratios;
  block.reserve(block_samples);
  for (std::size_t taken = 0; taken < samples; taken += block_samples) {
    ours.push_back(take_block(stream, block, [&] { executor->submit(); }));
    bare.push_back(take_block(stream, block, [&] { submit_bare(calls, native_stream); }));
    ratios.push_back(ours.back() / bare.back());
  }
  Comparison comparison;
  comparison.mode = mode;
  comparison.ours_us = median(ours);
  comparison.bare_us = median(bare);
  comparison.ratio = median(ratios);
  return comparison;
}

}  // namespace graphbench::gpu
