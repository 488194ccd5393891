// Launches a kernel: binds its prepared calls and makes them.
#include "graphs/cuda/prepared_kernel.hpp"

#include "graphs/cuda/stream.hpp"

namespace graphbench::cuda {

PreparedKernel::PreparedKernel(std::string op_name, PreparedOp prepared)
    : op_name_(std::move(op_name)), prepared_(std::move(prepared)) {}

void PreparedKernel::launch(Stream& stream, void* const* operands) {
  const cudaStream_t handle = static_cast<CudaStream&>(stream).handle();
  for (NativeCall& call : prepared_.calls) {
    bind_operands(call, operands, op_name_.c_str());
    make_call(call, handle, op_name_.c_str());
  }
}

void PreparedKernel::native_calls(void* const* operands, std::vector<NativeCall>& calls) const {
  for (const NativeCall& prepared : prepared_.calls) {
    calls.push_back(prepared);
    bind_operands(calls.back(), operands, op_name_.c_str());
  }
}

std::size_t PreparedKernel::settable_nodes() const {
  for (const NativeCall& call : prepared_.calls) {
    if (!std::holds_alternative<KernelCall>(call)) return 0;
  }
  return prepared_.calls.size();
}

void PreparedKernel::set_nodes(cudaGraphExec_t exec, const std::vector<GraphNode>& nodes,
                               void* const* operands) {
  GRAPHBENCH_ASSERT(nodes.size() == prepared_.calls.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto& call = std::get<KernelCall>(prepared_.calls[i]);
    call.bind(operands);
    void* arguments[] = {call.argument()};
    cudaKernelNodeParams parameters{};
    parameters.func = const_cast<void*>(call.function);
    parameters.gridDim = call.grid;
    parameters.blockDim = call.block;
    parameters.sharedMemBytes = call.shared_bytes;
    parameters.kernelParams = arguments;
    check(cudaGraphExecKernelNodeSetParams(exec, static_cast<cudaGraphNode_t>(nodes[i]), &parameters),
          "set the parameters of", op_name_.c_str());
  }
}

}  // namespace graphbench::cuda
