// Allocates and fills a program's static memory.
#include "graphs/execution/program_buffers.hpp"

#include <algorithm>

#include "graphs/device/execution.hpp"
#include "graphs/ir/random_fill.hpp"

namespace graphbench::execution {
namespace {

constexpr std::size_t buffer_alignment = 512;

bool is_static(ir::ValueKind kind) {
  return kind == ir::ValueKind::input || kind == ir::ValueKind::weight || kind == ir::ValueKind::state ||
         kind == ir::ValueKind::parameter;
}

// Reports an overflow as out_of_memory: the program is valid for small batches, so the batch is too large.
std::size_t bytes_of(const ir::Program& program, ir::ValueId id, std::int64_t batch) {
  try {
    return program.describe(id, batch).bytes();
  } catch (const Error& error) {
    if (batch % program.micro_batches() != 0) throw;
    throw Error(ErrorCode::out_of_memory, "allocate " + program.value(id).name + ": " + error.what());
  }
}

}  // namespace

ProgramBuffers::ProgramBuffers(DeviceMemory& memory, const ir::Program& program, std::int64_t largest_batch,
                               Layout layout)
    : memory_(memory),
      program_(program),
      largest_batch_(largest_batch),
      addresses_(program.values().size()),
      shared_(addresses_.size()) {
  allocate(layout);
}

ProgramBuffers::ProgramBuffers(DeviceMemory& memory, const ir::Program& program, std::int64_t largest_batch,
                               const ir::Program& other, const ProgramBuffers& from)
    : memory_(memory),
      program_(program),
      largest_batch_(largest_batch),
      addresses_(program.values().size()),
      shared_(addresses_.size()) {
  for (ir::ValueId id = 0; id < addresses_.size(); ++id) {
    const ir::Value& value = program.value(id);
    if (!is_static(value.kind) || value.kind == ir::ValueKind::input) continue;
    const auto same = std::ranges::find(other.values(), value.name, &ir::Value::name);
    if (same == other.values().end() || !is_static(same->kind) || same->dtype != value.dtype) continue;
    const auto theirs = static_cast<ir::ValueId>(same - other.values().begin());
    if (bytes_of(program, id, largest_batch) != bytes_of(other, theirs, from.largest_batch())) continue;
    addresses_[id] = from.address(theirs);
    shared_[id] = true;
  }
  allocate(Layout::together);
}

void ProgramBuffers::allocate(Layout layout) {
  std::vector<std::size_t> offsets(addresses_.size());
  std::size_t total = 0;
  std::size_t weights = 0;
  for (ir::ValueId id = 0; id < addresses_.size(); ++id) {
    if (!is_static(program_.value(id).kind) || shared_[id]) continue;
    const std::size_t bytes = bytes_of(program_, id, largest_batch_);
    const ir::ValueKind kind = program_.value(id).kind;
    if (kind == ir::ValueKind::weight || kind == ir::ValueKind::parameter) weights += bytes;
    if (layout == Layout::apart) addresses_[id] = blocks_.emplace_back(memory_, bytes).data();
    offsets[id] = total;
    std::size_t padded = 0;
    if (__builtin_add_overflow(bytes, buffer_alignment - 1, &padded) ||
        __builtin_add_overflow(total, padded / buffer_alignment * buffer_alignment, &total)) {
      throw Error(ErrorCode::out_of_memory,
                  "allocate " + program_.value(id).name + ": more bytes than an address can count");
    }
  }
  if (layout == Layout::together) place_together(offsets, total);
  weights_ = Tallied(memory_.tally(), MemoryKind::weights, weights);
}

void ProgramBuffers::place_together(const std::vector<std::size_t>& offsets, std::size_t total) {
  auto* const block = static_cast<std::byte*>(blocks_.emplace_back(memory_, total).data());
  for (ir::ValueId id = 0; id < addresses_.size(); ++id) {
    if (is_static(program_.value(id).kind) && !shared_[id]) addresses_[id] = block + offsets[id];
  }
}

std::size_t ProgramBuffers::bytes() const {
  std::size_t total = 0;
  for (const Buffer& block : blocks_) total += block.bytes();
  return total;
}

void ProgramBuffers::fill_weights(Stream& stream, std::uint64_t seed) {
  fill(stream, ir::ValueKind::weight, seed);
  stream.synchronize();  // kernels may read weights before earlier enqueued work has finished
}

void ProgramBuffers::fill_inputs(Stream& stream, std::uint64_t seed) {
  fill(stream, ir::ValueKind::input, seed);
}

void ProgramBuffers::fill_state(Stream& stream, std::uint64_t seed) {
  fill(stream, ir::ValueKind::state, seed);
  fill(stream, ir::ValueKind::parameter, seed);
}

void ProgramBuffers::fill_own(Stream& stream, std::uint64_t seed) {
  for (ir::ValueId id = 0; id < addresses_.size(); ++id) {
    if (is_static(program_.value(id).kind) && !shared_[id]) fill(stream, id, seed);
  }
  stream.synchronize();
}

void ProgramBuffers::fill(Stream& stream, ir::ValueKind kind, std::uint64_t seed) {
  for (const ir::ValueId id : program_.values_of(kind)) fill(stream, id, seed);
}

void ProgramBuffers::fill(Stream& stream, ir::ValueId id, std::uint64_t seed) {
  const ir::ValueKind kind = program_.value(id).kind;
  if (upload_ && (kind == ir::ValueKind::weight || kind == ir::ValueKind::parameter))
    return upload_(stream, id, addresses_[id]);
  const ir::TensorDesc desc = program_.describe(id, largest_batch_);
  memory_.fill(stream, addresses_[id], desc.dtype, static_cast<std::size_t>(desc.elements()),
               program_.value(id).init, ir::mix64(seed + id));
}

}  // namespace graphbench::execution
