// The eager executor launches every op from the host and takes activations from the pool at every step.
#pragma once

#include <vector>

#include "graphs/execution/executor.hpp"
#include "graphs/execution/step_kernels.hpp"

namespace graphbench::execution {

class EagerExecutor final : public Executor {
 public:
  EagerExecutor(const ExecutionContext& context, std::int64_t batch);

  Executor& eager() override { return *this; }
  void capture() override {}
  void instantiate() override {}
  void upload() override {}
  StepCounts counts() const override;
  const void* output(ir::ValueId id) const override { return addresses_.at(id); }
  std::vector<StepItem> items() const override;

  const StepKernels& kernels() const noexcept { return kernels_; }

 private:
  // An op of the step and its operand array, so that enqueue_step() walks contiguous memory.
  struct Launch {
    const StepOp* op = nullptr;
    void** operands = nullptr;
  };

  void enqueue_step() override;
  void release(ir::ValueId value) noexcept;

  Stream& stream_;
  pool::MemoryPool& pool_;
  StepKernels kernels_;
  std::vector<Launch> launches_;
  OperandArrays operands_;
  std::vector<void*> addresses_;      // by ValueId; addresses of static values never change
  std::vector<pool::Block*> blocks_;  // by ValueId; null while not allocated
};

}  // namespace graphbench::execution
