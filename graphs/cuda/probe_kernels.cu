// Kernels that see clusters and programmatic edges, from sm_90 on.
#include "graphs/cuda/convert.cuh"
#include "graphs/cuda/probe_kernels.hpp"
#include "graphs/cuda/status.hpp"
#include "graphs/cuda/stream.hpp"

namespace graphbench::cuda {
namespace {

__global__ void write_cluster_size(std::int32_t* blocks) {
#if __CUDA_ARCH__ >= 900
  unsigned size = 0;
  asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
  if (blockIdx.x == 0) *blocks = static_cast<std::int32_t>(size);
#endif
}

// Writes late: a kernel that did not wait for this one would read what was there before.
__global__ void relay(const std::int32_t* in, std::int32_t* out) {
  let_next_kernel_start();
  wait_for_kernels_ahead();
  const std::int32_t value = *in;
  const long long first = clock64();
  while (clock64() - first < 20'000) {
  }
  *out = value + 1;
}

}  // namespace

void CudaProbeKernel::launch(Stream& stream, void* const* operands) {
  const bool cluster = which_ == ProbeKernel::cluster;
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = dim3(1);
  config.stream = static_cast<CudaStream&>(stream).handle();
  config.attrs = &attribute;
  config.numAttrs = 1;
  if (cluster) {
    config.gridDim = dim3(2);
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {2, 1, 1};
  } else {
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  void* addresses[] = {operands[0], cluster ? nullptr : operands[1]};
  void* arguments[] = {&addresses[0], &addresses[1]};
  const void* kernel =
      cluster ? reinterpret_cast<const void*>(&write_cluster_size) : reinterpret_cast<const void*>(&relay);
  check(cudaLaunchKernelExC(&config, kernel, arguments), "launch a probe's kernel");
}

}  // namespace graphbench::cuda
