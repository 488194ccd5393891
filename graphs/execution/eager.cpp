// Submits a step op by op. This is timed code: it uses only prepared arrays, the pool's free list and kernel
// launches.
#include "graphs/execution/eager.hpp"

#include <utility>

namespace graphbench::execution {

EagerExecutor::EagerExecutor(const ExecutionContext& context, std::int64_t batch)
    : stream_(context.stream),
      pool_(context.eager_pool),
      kernels_(context.device, context.program, batch, context.forked),
      operands_(kernels_),
      addresses_(context.program.values().size()),
      blocks_(context.program.values().size()) {
  for (ir::ValueId id = 0; id < addresses_.size(); ++id) addresses_[id] = context.buffers.address(id);
  for (std::size_t i = 0; i < kernels_.ops.size(); ++i) {
    launches_.push_back({&kernels_.ops[i], operands_.of(i)});
  }
}

void EagerExecutor::release(ir::ValueId value) noexcept {
  if (blocks_[value] == nullptr) return;
  pool_.release(blocks_[value]);
  blocks_[value] = nullptr;
}

void EagerExecutor::enqueue_step() {
  try {
    for (const Launch& launch : launches_) {
      for (const ir::ValueId value : launch.op->allocates) {
        pool::Block* block = pool_.allocate(kernels_.value_bytes[value]);
        blocks_[value] = block;
        addresses_[value] = block->data;
      }
      if (launch.op->takes_over) {
        const auto [from, to] = *launch.op->takes_over;
        blocks_[to] = std::exchange(blocks_[from], nullptr);
        addresses_[to] = addresses_[from];
      }
      void** operand = launch.operands;
      for (const ir::ValueId value : launch.op->operands) *operand++ = addresses_[value];
      launch.op->kernel->launch(stream_, launch.operands);
      for (const ir::ValueId value : launch.op->releases) release(value);
    }
    // Callers read outputs before they enqueue the next step, so the pool may reuse the outputs' memory now.
    for (const ir::ValueId value : kernels_.outputs) release(value);
  } catch (...) {
    for (ir::ValueId value = 0; value < blocks_.size(); ++value) release(value);
    throw;
  }
}

StepCounts EagerExecutor::counts() const {
  StepCounts counts;
  counts.graphs.eager_ops = static_cast<std::int64_t>(kernels_.ops.size());
  counts.kernels = static_cast<std::int64_t>(kernels_.kernels.size());
  counts.peak_bytes = static_cast<std::int64_t>(kernels_.peak_bytes);
  return counts;
}

std::vector<StepItem> EagerExecutor::items() const {
  std::vector<StepItem> items;
  for (const Launch& launch : launches_)
    items.push_back({nullptr, launch.op->kernel, launch.operands, launch.op->op, launch.op->op});
  return items;
}

}  // namespace graphbench::execution
