// Launching: bind and call, nothing else.
#include "graphs/cuda/prepared_kernel.hpp"

#include "graphs/cuda/stream.hpp"

namespace graphbench::cuda {

PreparedKernel::PreparedKernel(std::string op_name, PreparedOp prepared)
    : op_name_(std::move(op_name)), prepared_(std::move(prepared)) {}

void PreparedKernel::launch(Stream& stream, void* const* operands) {
  const cudaStream_t handle = static_cast<CudaStream&>(stream).handle();
  for (NativeCall& call : prepared_.calls) {
    bind(call, operands, op_name_.c_str());
    make_call(call, handle, op_name_.c_str());
  }
}

void PreparedKernel::native_calls(void* const* operands, std::vector<NativeCall>& calls) const {
  for (const NativeCall& prepared : prepared_.calls) {
    calls.push_back(prepared);
    bind(calls.back(), operands, op_name_.c_str());
  }
}

}  // namespace graphbench::cuda
