// The CUDA side of a plugin whose failure persists. The op fails in captures of batches from min_batch on.
// The plugin has its own, statically linked CUDA runtime, which returns the error again at the next call.
#include "graphs/abi/graphbench_abi.h"

extern "C" int sticky_op_launch_cuda(const gb_op_call* call, void* const* operands, void* cuda_stream,
                                     void*) {
  const gb_tensor& x = call->operands[0];
  const auto stream = static_cast<cudaStream_t>(cuda_stream);
  auto capture = cudaStreamCaptureStatusNone;
  (void)cudaStreamIsCapturing(stream, &capture);
  if (capture != cudaStreamCaptureStatusNone && call->batch >= call->attrs[0].integer) {
    return cudaStreamSynchronize(stream);  // not allowed during a capture
  }
  (void)cudaMemcpyAsync(operands[1], operands[0],
                        static_cast<std::size_t>(x.dims[0] * x.dims[1]) * sizeof(float),
                        cudaMemcpyDeviceToDevice, stream);
  return cudaGetLastError();
}
