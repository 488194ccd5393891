// How long a fixed number of the GPU's cycles take: what its clock is now, where a driver's reading is that
// of a tenth of a second ago.
#pragma once

#include <cuda_runtime_api.h>

namespace graphbench::cuda {

// Enqueues one thread that counts 400,000 cycles (0.2 ms at 1.98 GHz) and stores their nanoseconds by the
// GPU's timer, which ticks once a microsecond or more often.
void launch_clock_probe(cudaStream_t stream, unsigned long long* nanoseconds);

}  // namespace graphbench::cuda
