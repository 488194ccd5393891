// Launching the host device's kernels.
#include "graphs/host/host_kernel.hpp"

#include <algorithm>

#include "graphs/host/activity_recorder.hpp"
#include "graphs/host/host_stream.hpp"
#include "graphs/host/op_implementation.hpp"

namespace graphbench::host {

void HostKernel::launch(Stream& stream, void* const* operands) {
  OpImplementation& implementation = cache_.at(signature_);
  if (implementation.operands_listed()) {
    if (latest_ == nullptr || !std::equal(operands, operands + operand_count_, latest_))
      latest_ = cache_.keep({operands, operands + operand_count_});
    static_cast<HostStream&>(stream).submit(run, &implementation, &latest_, sizeof(latest_));
    return;
  }
  static_cast<HostStream&>(stream).submit(run, &implementation, operands, operand_count_ * sizeof(void*));
}

void* const* HostKernel::operands_of(const Task& task) {
  const bool listed = static_cast<const OpImplementation*>(task.object)->operands_listed();
  return listed ? static_cast<void* const*>(task.words[0]) : task.words.data();
}

std::optional<std::size_t> HostKernel::in_place_input() const {
  return cache_.at(signature_).in_place_input();
}

void HostKernel::run(Task& task, StreamContext& context) {
  auto& implementation = *static_cast<OpImplementation*>(task.object);
  const RecordedOp recorded(context.recorder, implementation.name());
  implementation.run(operands_of(task), context);
}

}  // namespace graphbench::host
