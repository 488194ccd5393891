// A chain of small kernels as a graph. The first kernel reads a caller's input, and the last writes its
// output. Two classes run it: with our executor, and with bare CUDA calls.
#pragma once

#include "bare_step.hpp"
#include "graphs/cuda/handle.hpp"
#include "graphs/device/device.hpp"
#include "tests/support/rig.hpp"

namespace graphbench::gpu {

// A program whose ops are one node each. The caller's input and output have `elements` fp32 numbers. All ops
// between the ends work on 1,024 numbers, so `nodes` and `elements` can change independently.
ir::Program chain_of(std::size_t nodes, std::int64_t elements);

// The chain with bare CUDA calls. Each set of the caller's memory has its own calls and its own exec.
class BareChain {
 public:
  static constexpr std::size_t sets = 2;

  // `program` is chain_of(nodes, elements).
  BareChain(Device& device, const ir::Program& program, std::size_t nodes, cudaStream_t stream);
  // Runs one step: launches the graph, and does what `form` requires before and after the launch.
  void step(execution::IoForm form);

 private:
  std::vector<BareCall> calls(void* in, void* out) const;
  void record(std::vector<BareCall>& calls);
  void set_node(cudaGraphNode_t node, BareCall& call);
  void copy(void* to, const void* from);
  void launch(cudaGraphExec_t exec);

  std::size_t count_;  // the number of nodes
  std::size_t bytes_;
  cudaStream_t stream_;
  std::unique_ptr<Kernel> at_ends_, between_;
  Buffer own_[2], in_[sets], out_[sets], small_;
  std::vector<BareCall> calls_[sets], calls_own_;
  cuda::GraphHandle graph_;
  cuda::GraphExecHandle exec_, exec_of_set_[sets];
  std::vector<cudaGraphNode_t> nodes_;
  std::size_t next_ = 0;
  std::size_t turn_ = 0;  // counts steps of copy_if_moved: the input moves in every tenth step
};

struct OurChain {
  OurChain(Device& device, Stream& stream, const ir::Program& program, execution::IoForm form);

  test::Rig rig;
  std::optional<execution::CallerMemory> caller;  // absent for IoForm::fixed
  std::unique_ptr<execution::Executor> executor;
};

}  // namespace graphbench::gpu
