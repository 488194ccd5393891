// The empty kernel: one block of one thread, through the same call that a compiler makes of <<<>>>.
#include "graphs/cuda/empty_kernel.hpp"
#include "graphs/cuda/status.hpp"
#include "graphs/cuda/stream.hpp"

namespace graphbench::cuda {
namespace {

__global__ void empty_kernel() {}

}  // namespace

void EmptyKernel::launch(Stream& stream, void* const*) {
  check(cudaLaunchKernel(reinterpret_cast<const void*>(&empty_kernel), dim3(1), dim3(1), nullptr, 0,
                         static_cast<CudaStream&>(stream).handle()),
        "launch empty kernel");
}

}  // namespace graphbench::cuda
