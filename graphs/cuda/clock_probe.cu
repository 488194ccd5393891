// One thread: it leaves the GPU all but idle, so that probing again and again is a way to let it rest.
#include "graphs/cuda/clock_probe.hpp"
#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {
namespace {

__device__ unsigned long long timer_nanoseconds() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void count_cycles(unsigned long long* nanoseconds) {
  const unsigned long long begun = timer_nanoseconds();
  const long long first = clock64();
  while (clock64() - first < clock_probe_cycles) {
  }
  *nanoseconds = timer_nanoseconds() - begun;
}

}  // namespace

void launch_clock_probe(cudaStream_t stream, unsigned long long* nanoseconds) {
  count_cycles<<<1, 1, 0, stream>>>(nanoseconds);
  check(cudaGetLastError(), "probe clock");
}

}  // namespace graphbench::cuda
