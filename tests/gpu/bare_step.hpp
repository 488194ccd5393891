// A step without any class of ours: the native calls of an executor's step, in order, made in a loop.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <vector>

#include "graphs/cuda/native_call.hpp"
#include "graphs/execution/executor.hpp"

namespace graphbench::gpu {

// A graph launch, or a library call or kernel with its addresses fixed.
struct KernelLaunch {
  cudaLaunchConfig_t config{};
  std::array<cudaLaunchAttribute, 2> attributes{};
};

struct BareCall {
  cudaGraphExec_t graph = nullptr;  // set: the call is a graph launch
  cuda::NativeCall native;
  KernelLaunch launch;  // of a KernelCall
};

// The calls of `executor`'s last step. Its kernels and graphs must outlive them.
std::vector<BareCall> bare_calls(const execution::Executor& executor);

std::vector<BareCall> bare_calls(const std::vector<cuda::NativeCall>& natives);

// Makes the calls; throws where one fails.
void submit_bare(std::vector<BareCall>& calls, cudaStream_t stream);

}  // namespace graphbench::gpu
