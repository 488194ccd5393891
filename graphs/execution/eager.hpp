// The eager executor launches every op from the host and takes activations from the pool at every step.
#pragma once

#include <utility>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "graphs/execution/step_kernels.hpp"

namespace graphbench::execution {

// The pool blocks of a step's values.
class HeldBlocks {
 public:
  HeldBlocks(MemoryPool& pool, std::size_t values) : pool_(pool), blocks_(values) {}
  ~HeldBlocks() { release_all(); }
  HeldBlocks(const HeldBlocks&) = delete;
  HeldBlocks& operator=(const HeldBlocks&) = delete;

  void allocate(const StepOp& op, const std::vector<std::size_t>& bytes, std::vector<void*>& addresses) {
    for (const ir::ValueId value : op.allocates) {
      blocks_[value] = pool_.allocate(bytes[value]);
      addresses[value] = blocks_[value]->data;
    }
    if (!op.takes_over) return;
    const auto [from, to] = *op.takes_over;
    blocks_[to] = std::exchange(blocks_[from], nullptr);
    addresses[to] = addresses[from];
  }
  void release(ir::ValueId value) noexcept {
    if (blocks_[value] == nullptr) return;
    pool_.release(blocks_[value]);
    blocks_[value] = nullptr;
  }
  void release_all() noexcept {
    for (ir::ValueId value = 0; value < blocks_.size(); ++value) release(value);
  }

 private:
  MemoryPool& pool_;
  std::vector<Block*> blocks_;  // by ValueId; null while not allocated
};

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

  Stream& stream_;
  StepKernels kernels_;
  std::vector<Launch> launches_;
  OperandArrays operands_;
  std::vector<void*> addresses_;  // by ValueId; addresses of static values never change
  HeldBlocks blocks_;
};

}  // namespace graphbench::execution
