// The native CUDA calls of an executor's step, which a loop makes in order, without our classes.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <vector>

#include "graphs/cuda/native_call.hpp"
#include "graphs/execution/executor.hpp"

namespace graphbench::gpu {

struct KernelLaunch {
  cudaLaunchConfig_t config{};
  std::array<cudaLaunchAttribute, 2> attributes{};
};

struct BareCall {
  cudaGraphExec_t graph = nullptr;  // set: the call is a graph launch
  cuda::NativeCall native;
  KernelLaunch launch;  // used if `native` is a KernelCall
};

// Returns the calls of the executor's step. The executor's kernels and graphs must outlive the calls.
std::vector<BareCall> bare_calls(const execution::Executor& executor);

std::vector<BareCall> bare_calls(const std::vector<cuda::NativeCall>& natives);

// Makes the calls. Throws if one fails.
void submit_bare(std::vector<BareCall>& calls, cudaStream_t stream);

}  // namespace graphbench::gpu
