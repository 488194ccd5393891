// Graphs of so many small kernels of ours whose first reads a caller's input and whose last writes its
// output: by our executor, and by bare CUDA calls.
#pragma once

#include "bare_step.hpp"
#include "graphs/cuda/handle.hpp"
#include "graphs/device/device.hpp"
#include "tests/support/rig.hpp"

namespace graphbench::gpu {

// Every op is one node. The caller's input and output have `elements` fp32 numbers; between them lies a chain
// of 1,024 numbers, so that what the caller's take does not depend on the nodes.
ir::Program chain_of(std::size_t nodes, std::int64_t elements);

// The same chain without any class of ours: for each set its calls, an exec, and what a step does to it.
class BareChain {
 public:
  static constexpr std::size_t sets = 2;

  // Of chain_of(nodes, elements).
  BareChain(Device& device, const ir::Program& program, std::size_t nodes, cudaStream_t stream);
  // Does what the form says, and launches.
  void step(execution::IoForm form);

 private:
  std::vector<BareCall> calls(void* in, void* out) const;
  void record(std::vector<BareCall>& calls);
  void set_node(cudaGraphNode_t node, BareCall& call);
  void copy(void* to, const void* from);
  void launch(cudaGraphExec_t exec);

  std::size_t count_;  // of nodes
  std::size_t bytes_;
  cudaStream_t stream_;
  std::unique_ptr<Kernel> at_ends_, between_;
  Buffer own_[2], in_[sets], out_[sets], small_;
  std::vector<BareCall> calls_[sets], calls_own_;
  cuda::GraphHandle graph_;
  cuda::GraphExecHandle exec_, exec_of_set_[sets];
  std::vector<cudaGraphNode_t> nodes_;
  std::size_t next_ = 0;
  std::size_t turn_ = 0;  // of copy_if_moved, whose input moves in each tenth
};

// Ours, ready to step, with all that it works on.
struct OurChain {
  OurChain(Device& device, Stream& stream, const ir::Program& program, execution::IoForm form);

  test::Rig rig;
  std::optional<execution::CallerMemory> caller;  // none where the caller's memory is the graph's
  std::unique_ptr<execution::Executor> executor;
};

}  // namespace graphbench::gpu
