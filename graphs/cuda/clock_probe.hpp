// How long a fixed number of the GPU's cycles take: what its clock is now, where a driver's reading lags
// behind.
#pragma once

#include <cuda_runtime_api.h>

namespace graphbench::cuda {

inline constexpr long long clock_probe_cycles = 400'000;  // 0.2 ms at 2 GHz

// Enqueues one thread that counts so many cycles and stores their nanoseconds by the
// GPU's timer, which ticks once a microsecond or more often.
void launch_clock_probe(cudaStream_t stream, unsigned long long* nanoseconds);

}  // namespace graphbench::cuda
