// Binds the prepared calls to addresses, and makes them.
#include "graphs/cuda/native_call.hpp"

#include <string>

#include "graphs/cuda/ops/cudnn_plan.hpp"
#include "graphs/cuda/ops/foreign.hpp"
#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {
namespace {

void enqueue(KernelCall& call, cudaStream_t stream, const char* object) {
  void* arguments[] = {call.argument()};
  cudaLaunchConfig_t config{};
  config.gridDim = call.grid;
  config.blockDim = call.block;
  config.dynamicSmemBytes = call.shared_bytes;
  config.stream = stream;
  cudaLaunchAttribute attributes[2];
  config.attrs = attributes;
  if (call.cluster_blocks > 1) {
    attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
    attributes[config.numAttrs++].val.clusterDim = {call.cluster_blocks, 1, 1};
  }
  if (call.programmatic) {
    attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
  }
  check(cudaLaunchKernelExC(&config, call.function, arguments), "launch", object);
}

void enqueue(MatmulCall& call, cudaStream_t stream, const char* object) {
  check(cublas_lt.Matmul(call.handle, &call.description, &call.alpha, call.a, &call.a_layout, call.b,
                         &call.b_layout, &call.beta, call.c, &call.c_layout, call.d, &call.d_layout,
                         &call.algo, call.workspace, call.workspace_bytes, stream),
        "launch", object);
}

#if defined(GRAPHBENCH_HAVE_CUDNN)
void enqueue(CudnnCall& call, cudaStream_t stream, const char* object) {
  if (*call.handle_stream != stream) [[unlikely]] {
    check(call.library->SetStream(call.handle, stream), "set the stream of the cuDNN handle for op", object);
    *call.handle_stream = stream;
  }
  check(call.library->BackendExecute(call.handle, call.execution_plan, call.pack), "launch", object);
}
#else
void enqueue(CudnnCall&, cudaStream_t, const char*) {}
#endif

int launch_foreign(ForeignCall& call, cudaStream_t stream, const char* object) {
  try {
    return call.op->launch_cuda(call.call, call.operands.data(), stream, call.op->user);
  } catch (...) {
    throw Error(ErrorCode::plugin_failed, std::string("launch ") + object + ": launch_cuda of op kind '" +
                                              call.op->kind + "' threw an exception, which the ABI forbids");
  }
}

// Calls the plugin. Its failure is plugin_failed, unless the CUDA error has its own code, such as
// device_lost.
void enqueue(ForeignCall& call, cudaStream_t stream, const char* object) {
  if (call.host != nullptr) return call.host->run(call.operands.data(), stream, object);
  const int status = launch_foreign(call, stream, object);
  if (status == 0) [[likely]]
    return;
  const auto error = static_cast<cudaError_t>(status);
  const ErrorCode code = code_of(error);
  if (code != ErrorCode::device_failed && code != ErrorCode::unsupported) raise(error, "launch", object);
  (void)cudaGetLastError();
  throw Error(ErrorCode::plugin_failed, std::string("launch ") + object + ": launch_cuda of op kind '" +
                                            call.op->kind + "' returned " + std::to_string(status) + " (" +
                                            cudaGetErrorName(error) + ")");
}

}  // namespace

cublasStatus_t MatmulCall::bind(void* const* operands) noexcept {
  a = a_source.resolve(operands);
  b = b_source.resolve(operands);
  c = c_source.resolve(operands);
  d = d_source.resolve(operands);
  if (!has_bias) return CUBLAS_STATUS_SUCCESS;
  const void* address = bias_source.resolve(operands);
  if (address == bias) return CUBLAS_STATUS_SUCCESS;
  bias = address;
  return cublas_lt.MatmulDescSetAttribute(&description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias,
                                          sizeof(bias));
}

#if defined(GRAPHBENCH_HAVE_CUDNN)
void CudnnCall::bind(void* const* operands) {
  bool moved = pack == nullptr;
  for (std::size_t i = 0; i < pointer_count; ++i) {
    void* address = pointers[i].resolve(operands);
    moved = moved || address != bound[i];
    bound[i] = address;
  }
  if (moved) [[unlikely]] {
    pack_owner = plan->pack_for(bound.data());
    pack = pack_owner->handle();
  }
}
#endif

void bind_operands(NativeCall& call, void* const* operands, const char* object) {
  if (auto* kernel = std::get_if<KernelCall>(&call)) return kernel->bind(operands);
  if (auto* matmul = std::get_if<MatmulCall>(&call)) return check(matmul->bind(operands), "bind", object);
  if (auto* cudnn = std::get_if<CudnnCall>(&call)) return cudnn->bind(operands);
  std::get<ForeignCall>(call).bind(operands);
}

void make_call(NativeCall& call, cudaStream_t stream, const char* object) {
  if (auto* kernel = std::get_if<KernelCall>(&call)) return enqueue(*kernel, stream, object);
  if (auto* matmul = std::get_if<MatmulCall>(&call)) return enqueue(*matmul, stream, object);
  if (auto* cudnn = std::get_if<CudnnCall>(&call)) return enqueue(*cudnn, stream, object);
  enqueue(std::get<ForeignCall>(call), stream, object);
}

void resolve_function(const void* function, const char* object) {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, function);
  if (status == cudaErrorInvalidDeviceFunction || status == cudaErrorNoKernelImageForDevice) {
    (void)cudaGetLastError();
    throw Error(ErrorCode::unsupported, std::string("prepare ") + object + ": " + describe(status) +
                                            "; rebuild with this GPU in GRAPHBENCH_CUDA_ARCHITECTURES");
  }
  check(status, "prepare", object);
}

}  // namespace graphbench::cuda
