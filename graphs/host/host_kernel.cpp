// Launching the host device's kernels.
#include "graphs/host/host_kernel.hpp"

#include "graphs/host/activity_recorder.hpp"
#include "graphs/host/host_stream.hpp"
#include "graphs/host/op_implementation.hpp"

namespace graphbench::host {

void HostKernel::launch(Stream& stream, void* const* operands) {
  OpImplementation& implementation = cache_.at(signature_);
  static_cast<HostStream&>(stream).submit(run, &implementation, operands, operand_count_ * sizeof(void*));
}

std::optional<std::size_t> HostKernel::in_place_input() const {
  return cache_.at(signature_).in_place_input();
}

void HostKernel::run(Task& task, StreamContext& context) {
  auto& implementation = *static_cast<OpImplementation*>(task.object);
  const RecordedOp recorded(context.recorder, implementation.name());
  implementation.run(task.words.data(), context);
}

}  // namespace graphbench::host
