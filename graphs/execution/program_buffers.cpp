// Allocates and fills a program's static memory.
#include "graphs/execution/program_buffers.hpp"

#include "graphs/ir/random_fill.hpp"

namespace graphbench::execution {
namespace {

bool is_static(ir::ValueKind kind) {
  return kind == ir::ValueKind::input || kind == ir::ValueKind::weight || kind == ir::ValueKind::state;
}

// The program was validated at batch 1, so a size that overflows is a batch that no memory holds.
std::size_t bytes_of(const ir::Program& program, ir::ValueId id, std::int64_t batch) {
  try {
    return program.describe(id, batch).bytes();
  } catch (const Error& error) {
    throw Error(ErrorCode::out_of_memory, "allocate " + program.value(id).name + ": " + error.what());
  }
}

}  // namespace

ProgramBuffers::ProgramBuffers(Device& device, const ir::Program& program, std::int64_t largest_batch)
    : device_(device), program_(program), largest_batch_(largest_batch), addresses_(program.values().size()) {
  for (ir::ValueId id = 0; id < program.values().size(); ++id) {
    const ir::Value& value = program.value(id);
    if (!is_static(value.kind)) continue;
    const Buffer& buffer = buffers_.emplace_back(device, bytes_of(program, id, largest_batch));
    addresses_[id] = buffer.data();
    if (value.kind == ir::ValueKind::weight) weights_bytes_ += buffer.bytes();
  }
}

void ProgramBuffers::fill_weights(Stream& stream, std::uint64_t seed) {
  fill(stream, ir::ValueKind::weight, seed);
  stream.synchronize();  // kernels may read weights before what is enqueued ahead of them has finished
}

void ProgramBuffers::fill_inputs(Stream& stream, std::uint64_t seed) {
  fill(stream, ir::ValueKind::input, seed);
}

void ProgramBuffers::fill_state(Stream& stream, std::uint64_t seed) {
  fill(stream, ir::ValueKind::state, seed);
}

void ProgramBuffers::fill(Stream& stream, ir::ValueKind kind, std::uint64_t seed) {
  for (const ir::ValueId id : program_.values_of(kind)) {
    const ir::TensorDesc desc = program_.describe(id, largest_batch_);
    device_.fill(stream, addresses_[id], desc.dtype, static_cast<std::size_t>(desc.elements()),
                 program_.value(id).init, ir::mix64(seed + id));
  }
}

}  // namespace graphbench::execution
