// What a device runs beside ops: filling memory with the data every device uses, digesting it, and what
// measures the device itself.
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

// How long a fixed number of the GPU's cycles take: what its clock is now, where a driver's reading lags
// behind. Enqueues one thread that counts so many cycles and stores their nanoseconds by the GPU's timer,
// which ticks once a microsecond or more often.
inline constexpr long long clock_probe_cycles = 400'000;  // 0.2 ms at 2 GHz
void launch_clock_probe(cudaStream_t stream, unsigned long long* nanoseconds);

// One block of one thread that does nothing, for measuring what launching costs.
class EmptyKernel final : public Kernel {
 public:
  void launch(Stream& stream, void* const* operands) override;
};

}  // namespace graphbench::cuda
