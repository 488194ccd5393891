// PreparedKernel is the kernel of every CUDA op: a list of prepared calls, and the memory and plans that the
// calls need. Only the functions that make the list differ between ops.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphs/cuda/native_call.hpp"
#include "graphs/device/execution.hpp"
#include "graphs/device/memory.hpp"

namespace graphbench::cuda {

struct PreparedOp {
  std::vector<NativeCall> calls;  // in launch order; empty for a marker
  std::vector<Buffer> buffers;
  std::vector<std::shared_ptr<void>> resources;  // owners of handles and plans of the calls
  KernelPath path;
  std::optional<std::size_t> in_place_input;
};

class PreparedKernel final : public Kernel {
 public:
  PreparedKernel(std::string op_name, PreparedOp prepared);

  void launch(Stream& stream, void* const* operands) override;
  std::optional<std::size_t> in_place_input() const override { return prepared_.in_place_input; }

  KernelPath path() const override { return prepared_.path; }
  std::size_t settable_nodes() const override;
  void set_nodes(cudaGraphExec_t exec, const std::vector<GraphNode>& nodes, void* const* operands);

  // Appends copies of the calls, bound to `operands`. The kernel must outlive the copies.
  void native_calls(void* const* operands, std::vector<NativeCall>& calls) const;

 private:
  std::string op_name_;
  PreparedOp prepared_;
};

}  // namespace graphbench::cuda
