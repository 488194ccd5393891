// A kernel of one thread, which waits for a given number of its multiprocessor's clock cycles.
#include "tests/planted/pause.hpp"

namespace {

__global__ void pause(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

}  // namespace

extern "C" int planted_pause_cuda(std::int64_t cycles, void* stream) {
  pause<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(cycles);
  return cudaGetLastError();
}
