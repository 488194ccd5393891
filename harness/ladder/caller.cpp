// Copies a caller's rows. Values are contiguous with the batch outermost, so rows are one range of bytes.
#include "harness/ladder/caller.hpp"

#include <algorithm>
#include <iterator>

#include "graphs/base/text.hpp"
#include "graphs/ir/passes.hpp"
#include "graphs/ir/random_fill.hpp"

namespace graphbench::ladder {
namespace {

bool is_batch_major(const ir::Value& value) {
  const ir::Dim& first = value.shape.front();
  return first.per_batch > 0 && first.fixed == 0 &&
         std::all_of(value.shape.begin() + 1, value.shape.end(),
                     [](const ir::Dim& dim) { return dim.per_batch == 0; });
}

}  // namespace

void require_batch_major(const ir::Program& program) {
  std::vector<ir::ValueId> written = ir::mutated_state(program);
  std::ranges::copy(ir::mutated_inputs(program), std::back_inserter(written));
  for (ir::ValueId id = 0; id < program.values().size(); ++id) {
    const ir::Value& value = program.value(id);
    if (value.kind == ir::ValueKind::weight || value.kind == ir::ValueKind::activation) continue;
    const bool has_rows =
        ir::depends_on_batch(value) || value.kind == ir::ValueKind::output || contains(written, id);
    if (!has_rows || is_batch_major(value)) continue;
    throw Error(ErrorCode::not_batch_major,
                "serve " + program.name() + ": " + std::string(name_of(value.kind)) + " " + value.name + " " +
                    ir::to_string(value.shape) +
                    ": its outermost extent is not a multiple of the batch, so rows "
                    "of padding cannot be kept apart from the caller's");
  }
}

std::size_t row_bytes(const ir::Program& program, ir::ValueId id) {
  return program.describe(id, 1).bytes();
}

Caller::Caller(const execution::ExecutionContext& context, std::int64_t rows_max, std::uint64_t seed)
    : memory_(context.device), stream_(context.stream), program_(context.program), rows_max_(rows_max) {
  const std::vector<ir::ValueId> written = ir::mutated_inputs(program_);
  for (const ir::ValueId id : program_.values_of(ir::ValueKind::input)) {
    if (!ir::depends_on_batch(program_.value(id))) continue;
    const ir::TensorDesc desc = program_.describe(id, rows_max);
    Edge& edge = inputs_.emplace_back();
    edge = {.id = id,
            .own = Buffer(memory_, desc.bytes()),
            .fixed = nullptr,
            .row_bytes = row_bytes(program_, id),
            .dirty = 0,
            .written = std::ranges::count(written, id) > 0};
    edge.fixed = static_cast<std::byte*>(context.buffers.address(id));
    memory_.fill(stream_, edge.own.data(), desc.dtype, static_cast<std::size_t>(desc.elements()),
                 program_.value(id).init, ir::mix64(seed + id));
  }
  for (const ir::ValueId id : program_.values_of(ir::ValueKind::output)) {
    Edge& edge = outputs_.emplace_back();
    edge = {.id = id,
            .own = Buffer(memory_, program_.describe(id, rows_max).bytes()),
            .fixed = nullptr,
            .row_bytes = row_bytes(program_, id),
            .dirty = 0};
  }
  forget();
}

void Caller::forget() {
  for (Edge& edge : inputs_) edge.dirty = rows_max_;
}

void Caller::pad(const Edge& edge, Rows rows) {
  const ir::Value& value = program_.value(edge.id);
  const std::size_t bytes = static_cast<std::size_t>(rows.count) * edge.row_bytes;
  std::byte* const first = edge.fixed + static_cast<std::size_t>(rows.first) * edge.row_bytes;
  // Filling bytes is one call of the driver's; filling numbers starts a kernel.
  if (value.pad == 0) return stream_.fill_bytes(first, 0, bytes);
  if (value.pad == -1 && value.dtype == ir::DType::i32) return stream_.fill_bytes(first, 0xFF, bytes);
  memory_.fill(stream_, first, value.dtype, bytes / ir::size_of(value.dtype),
               {ir::Init::Kind::constant, value.pad, value.pad}, 0);
}

void Caller::copy_in(Rows rows, std::int64_t size) {
  for (Edge& edge : inputs_) {
    stream_.copy_on_device(edge.fixed,
                           static_cast<const std::byte*>(edge.own.data()) +
                               static_cast<std::size_t>(rows.first) * edge.row_bytes,
                           static_cast<std::size_t>(rows.count) * edge.row_bytes);
    const std::int64_t dirty_to = std::min(size, edge.dirty);
    if (rows.count < dirty_to) pad(edge, {rows.count, dirty_to - rows.count});
    // Rows behind `size` stay as dirty as they were.
    if (size >= edge.dirty) edge.dirty = rows.count;
  }
}

void Caller::copy_back(Rows rows, std::int64_t size) {
  for (Edge& edge : inputs_) {
    if (!edge.written) continue;
    stream_.copy_on_device(
        static_cast<std::byte*>(edge.own.data()) + static_cast<std::size_t>(rows.first) * edge.row_bytes,
        edge.fixed, static_cast<std::size_t>(rows.count) * edge.row_bytes);
    edge.dirty = std::max(edge.dirty, size);  // the step wrote its padding rows too
  }
}

void Caller::copy_out(const execution::Executor& executor, Rows rows) {
  for (const Edge& edge : outputs_) {
    stream_.copy_on_device(
        static_cast<std::byte*>(edge.own.data()) + static_cast<std::size_t>(rows.first) * edge.row_bytes,
        executor.output(edge.id), static_cast<std::size_t>(rows.count) * edge.row_bytes);
  }
}

}  // namespace graphbench::ladder
