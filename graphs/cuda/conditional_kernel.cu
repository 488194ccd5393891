// The kernel that sets a conditional node's value. Compiled by itself: its code refers to a function of the
// driver's, and drivers before CUDA 12.3, which lack it, refuse all code that is loaded with it.
#include "graphs/cuda/device_kernels.hpp"
#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {
namespace {

__global__ void set_conditional(cudaGraphConditionalHandle node, const std::int32_t* selector, bool is_flag) {
  cudaGraphSetConditional(node, is_flag ? *selector != 0 : static_cast<unsigned>(*selector));
}

}  // namespace

void launch_selector(cudaStream_t stream, cudaGraphConditionalHandle node, const std::int32_t* selector,
                     bool is_flag) {
  set_conditional<<<1, 1, 0, stream>>>(node, selector, is_flag);
  check(cudaGetLastError(), "select a branch");
}

}  // namespace graphbench::cuda
