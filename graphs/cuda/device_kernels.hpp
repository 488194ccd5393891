// The device's work beside ops: it fills and digests memory, measures the device itself, and replaces memset
// nodes of graphs.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "graphs/device/device.hpp"

namespace graphbench::cuda {

void launch_fill(cudaStream_t stream, void* destination, ir::DType dtype, std::size_t elements,
                 const ir::Init& init, std::uint64_t seed);

// Adds the digest of `words` 32-bit words to `*sum`, which the caller has zeroed.
void launch_digest(cudaStream_t stream, const void* source, std::size_t words, unsigned long long* sum,
                   int multiprocessors);

// Enqueues one thread that counts a fixed number of cycles and stores their nanoseconds by the GPU's timer,
// which ticks at least once per microsecond. That gives the present clock, behind which a driver's reading
// lags.
inline constexpr long long clock_probe_cycles = 400'000;  // 0.2 ms at 2 GHz
void launch_clock_probe(cudaStream_t stream, unsigned long long* nanoseconds);

// One block of one thread that does nothing. It measures the cost of a launch.
class EmptyKernel final : public Kernel {
 public:
  void launch(Stream& stream, void* const* operands) override;
};

struct DeviceRange {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;

  bool holds(const void* data) const noexcept {
    const auto* at = static_cast<const std::byte*>(data);
    return at >= begin && at < begin + bytes;
  }
};

// Replaces each memset node that writes whole words inside `workspace`, which only our library calls use, by
// a kernel node that writes the same. A plugin's nodes stay. The driver launches a straight line of kernel
// nodes at a constant cost, but node by node as soon as one is not a kernel: 17 us instead of 1 us for
// sixteen convolutions of cuDNN on an H200, and 3 us of the device's time each. Returns how many were
// replaced.
std::size_t replace_memset_nodes(cudaGraph_t graph, DeviceRange workspace);

}  // namespace graphbench::cuda
