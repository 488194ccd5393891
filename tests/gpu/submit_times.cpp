// The timing loops. Blocks alternate and are compared in pairs, so that drift of the machine, and a driver
// that launches at one of two speeds for a while, fall on both sides alike.
#include "submit_times.hpp"

#include <algorithm>
#include <chrono>

namespace graphbench::gpu {
namespace {

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

}  // namespace graphbench::gpu
