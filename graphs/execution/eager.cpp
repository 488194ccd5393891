// Submits a step op by op. This is timed code: it uses only prepared arrays, the pool's free list and kernel
// launches.
#include "graphs/execution/eager.hpp"

namespace graphbench::execution {

EagerExecutor::EagerExecutor(const ExecutionContext& context, std::int64_t batch)
    : stream_(context.stream),
      kernels_(context.device, context.program, batch, context.forked),
      operands_(kernels_),
      addresses_(context.program.values().size()),
      blocks_(context.eager_pool, addresses_.size()) {
  for (ir::ValueId id = 0; id < addresses_.size(); ++id) addresses_[id] = context.buffers.address(id);
  for (std::size_t i = 0; i < kernels_.ops.size(); ++i) {
    launches_.push_back({&kernels_.ops[i], operands_.of(i)});
  }
}

void EagerExecutor::enqueue_step() {
  try {
    for (const Launch& launch : launches_) {
      blocks_.allocate(*launch.op, kernels_.value_bytes, addresses_);
      void** operand = launch.operands;
      for (const ir::ValueId value : launch.op->operands) *operand++ = addresses_[value];
      launch.op->kernel->launch(stream_, launch.operands);
      for (const ir::ValueId value : launch.op->releases) blocks_.release(value);
    }
    // Callers read outputs before they enqueue the next step, so the pool may reuse the outputs' memory now.
    for (const ir::ValueId value : kernels_.outputs) blocks_.release(value);
  } catch (...) {
    blocks_.release_all();
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
