// Takes a step apart into native calls, and makes these calls.
#include "bare_step.hpp"

#include <stdexcept>
#include <string>

#include "graphs/cuda/cublas_library.hpp"
#include "graphs/cuda/prepared_kernel.hpp"

namespace graphbench::gpu {
namespace {

// Fills in everything but the stream before the timed loop, as careful hand-written code would.
KernelLaunch launch_of(const cuda::KernelCall& call) {
  KernelLaunch launch;
  launch.config.gridDim = call.grid;
  launch.config.blockDim = call.block;
  launch.config.dynamicSmemBytes = call.shared_bytes;
  if (call.cluster_blocks > 1) {
    cudaLaunchAttribute& attribute = launch.attributes[launch.config.numAttrs++];
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {call.cluster_blocks, 1, 1};
  }
  if (call.programmatic) {
    cudaLaunchAttribute& attribute = launch.attributes[launch.config.numAttrs++];
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  return launch;
}

int make_call(cuda::KernelCall& call, KernelLaunch& launch, cudaStream_t stream) {
  void* arguments[] = {call.argument()};
  launch.config.stream = stream;
  launch.config.attrs = launch.attributes.data();  // the BareCall may have been moved in memory
  return cudaLaunchKernelExC(&launch.config, call.function, arguments);
}

int make_call(cuda::MatmulCall& call, cudaStream_t stream) {
  return cuda::cublas_lt.Matmul(call.handle, &call.description, &call.alpha, call.a, &call.a_layout, call.b,
                                &call.b_layout, &call.beta, call.c, &call.c_layout, call.d, &call.d_layout,
                                &call.algo, call.workspace, call.workspace_bytes, stream);
}

#if defined(GRAPHBENCH_HAVE_CUDNN)
int make_call(cuda::CudnnCall& call, cudaStream_t) {
  return call.library->BackendExecute(call.handle, call.execution_plan, call.pack);
}
#else
int make_call(cuda::CudnnCall&, cudaStream_t) {
  return 0;
}
#endif

int make_call(cuda::ForeignCall& call, cudaStream_t stream) {
  if (call.host != nullptr) throw std::runtime_error("a bare step has no host op");
  return call.op->launch_cuda(call.call, call.operands.data(), stream, call.op->user);
}

int make_call(BareCall& call, cudaStream_t stream) {
  if (call.graph != nullptr) return cudaGraphLaunch(call.graph, stream);
  if (auto* kernel = std::get_if<cuda::KernelCall>(&call.native))
    return make_call(*kernel, call.launch, stream);
  if (auto* matmul = std::get_if<cuda::MatmulCall>(&call.native)) return make_call(*matmul, stream);
  if (auto* cudnn = std::get_if<cuda::CudnnCall>(&call.native)) return make_call(*cudnn, stream);
  return make_call(std::get<cuda::ForeignCall>(call.native), stream);
}

}  // namespace

std::vector<BareCall> bare_calls(const execution::Executor& executor) {
  std::vector<BareCall> calls;
  std::vector<cuda::NativeCall> natives;
  for (const execution::StepItem& item : executor.items()) {
    if (item.graph != nullptr) {
      calls.push_back({static_cast<cudaGraphExec_t>(item.graph->native_handle()), {}, {}});
      continue;
    }
    natives.clear();
    static_cast<cuda::PreparedKernel*>(item.kernel)->native_calls(item.operands, natives);
    const std::vector<BareCall> more = bare_calls(natives);
    calls.insert(calls.end(), more.begin(), more.end());
  }
  return calls;
}

std::vector<BareCall> bare_calls(const std::vector<cuda::NativeCall>& natives) {
  std::vector<BareCall> calls;
  for (const cuda::NativeCall& native : natives) {
    BareCall& call = calls.emplace_back(BareCall{nullptr, native, {}});
    if (const auto* kernel = std::get_if<cuda::KernelCall>(&native)) call.launch = launch_of(*kernel);
  }
  return calls;
}

void submit_bare(std::vector<BareCall>& calls, cudaStream_t stream) {
  for (BareCall& call : calls) {
    const int status = make_call(call, stream);
    if (status != 0) throw std::runtime_error("a bare call failed with status " + std::to_string(status));
  }
}

}  // namespace graphbench::gpu
