// Device work that is not an op: fills and digests memory, measures the device, and replaces memset nodes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "graphs/device/device.hpp"

namespace graphbench::cuda {

void launch_fill(cudaStream_t stream, void* destination, ir::DType dtype, std::size_t elements,
                 const ir::Init& init, std::uint64_t seed);

// Adds the digest of `words` 32-bit words to `*sum`, which the caller must set to zero first.
void launch_digest(cudaStream_t stream, const void* source, std::size_t words, unsigned long long* sum,
                   int multiprocessors);

// One thread counts these cycles and stores their duration, by a timer that ticks at least once per
// microsecond. Cycles / duration is the present clock frequency; the driver's value is older.
inline constexpr long long clock_probe_cycles = 400'000;  // 0.2 ms at 2 GHz
void launch_clock_probe(cudaStream_t stream, unsigned long long* nanoseconds);

// Sets a conditional node's value to *selector; with `is_flag`, to *selector != 0.
void launch_selector(cudaStream_t stream, cudaGraphConditionalHandle node, const std::int32_t* selector,
                     bool is_flag);

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

// Replaces memset nodes that write whole words inside `workspace` by kernel nodes, and returns their number.
// Only our library calls use `workspace`, so plugins' nodes stay. The driver launches a chain of kernel nodes
// at a constant cost, but node by node if one of them is not a kernel node: for sixteen cuDNN convolutions on
// an H200, a launch then takes 17 us instead of 1 us, and each convolution 3 us more of device time.
std::size_t replace_memset_nodes(cudaGraph_t graph, DeviceRange workspace);

}  // namespace graphbench::cuda
