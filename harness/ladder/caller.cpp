// Copies a caller's rows. The batch is the outermost extent, so consecutive rows are one range of bytes.
// Checks isolation by two runs that must agree: eager with data in padding rows, a graph with NaN in them.
#include "harness/ladder/caller.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

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

// A number with all bits set is NaN in fp32, fp16 and bf16.
constexpr int poison_byte = 0xFF;

struct Seen {
  std::vector<std::vector<std::byte>> results;  // caller's rows of outputs and of written inputs
  std::vector<std::uint64_t> own_state;         // digests of the caller's rows of mutated state
  std::vector<std::uint64_t> others_before;     // digests of the state's other rows before the step
  std::vector<std::uint64_t> others;            // the same digests after the step
};

class IsolationCheck {
 public:
  explicit IsolationCheck(const PaddedStep& step)
      : step_(step),
        results_(step.context.program.values_of(ir::ValueKind::output)),
        states_(ir::mutated_state(step.context.program)) {
    std::ranges::copy(ir::mutated_inputs(program()), std::back_inserter(results_));
  }

  void run() {
    const Seen expected = observe(step_.executor.eager(), false);
    const Seen actual = observe(step_.executor, true);
    for (std::size_t i = 0; i < results_.size(); ++i)
      compare_rows(results_[i], expected.results[i], actual.results[i]);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (actual.own_state[i] != expected.own_state[i])
        fail("the caller's rows of state " + name(states_[i]) + " differ from the eager result");
      if (actual.others[i] != actual.others_before[i])
        fail("state " + name(states_[i]) + " of other sequences was overwritten");
    }
  }

 private:
  const ir::Program& program() const { return step_.context.program; }
  std::string name(ir::ValueId id) const { return program().value(id).name; }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCode::check_failed, "isolation: " + std::to_string(step_.rows) +
                                             " rows in a graph of size " + std::to_string(step_.size) +
                                             ", with padding rows of NaN: " + why);
  }

  void compare_rows(ir::ValueId id, const std::vector<std::byte>& expected,
                    const std::vector<std::byte>& actual) const {
    const std::size_t bytes = row_bytes(program(), id);
    for (std::size_t row = 0; row * bytes < expected.size(); ++row) {
      if (std::memcmp(&expected[row * bytes], &actual[row * bytes], bytes) == 0) continue;
      fail("row " + std::to_string(row) + " of " + std::string(name_of(program().value(id).kind)) + " " +
           name(id) + " differs from the eager result at that size");
    }
  }

  void fill(bool poisoned) {
    const execution::ExecutionContext& context = step_.context;
    context.buffers.fill_inputs(context.stream, step_.seed);
    context.buffers.fill_state(context.stream, step_.seed);
    for (const ir::ValueId id : program().values_of(ir::ValueKind::input)) {
      const ir::Value& value = program().value(id);
      if (value.shape.front().per_batch == 0) continue;
      const std::size_t each = row_bytes(program(), id);
      auto* const padding =
          static_cast<std::byte*>(context.buffers.address(id)) + static_cast<std::size_t>(step_.rows) * each;
      const std::size_t bytes = static_cast<std::size_t>(step_.size - step_.rows) * each;
      if (value.dtype == ir::DType::i32) {
        context.device.fill(context.stream, padding, value.dtype, bytes / ir::size_of(value.dtype),
                            {ir::Init::Kind::constant, value.pad, value.pad}, 0);
      } else if (poisoned) {
        context.stream.fill_bytes(padding, poison_byte, bytes);
      }
    }
  }

  // Digests of rows [first, last) of each mutated state. Rounds the range inward to whole 4-byte words.
  std::vector<std::uint64_t> digests(std::int64_t first, std::int64_t last) {
    std::vector<std::uint64_t> found;
    for (const ir::ValueId id : states_) {
      const std::size_t each = row_bytes(program(), id);
      const std::size_t begin = (static_cast<std::size_t>(first) * each + 3) / 4 * 4;
      const std::size_t end = static_cast<std::size_t>(last) * each / 4 * 4;
      const auto* const at = static_cast<const std::byte*>(step_.context.buffers.address(id));
      found.push_back(begin < end ? step_.context.device.digest(step_.context.stream, at + begin, end - begin)
                                  : 0);
    }
    return found;
  }

  Seen observe(execution::Executor& executor, bool poisoned) {
    Stream& stream = step_.context.stream;
    fill(poisoned);
    Seen seen;
    const std::int64_t all = step_.context.buffers.largest_batch();
    seen.others_before = digests(step_.rows, all);
    executor.submit();
    for (const ir::ValueId id : results_) {
      std::vector<std::byte>& rows =
          seen.results.emplace_back(static_cast<std::size_t>(step_.rows) * row_bytes(program(), id));
      const bool is_output = program().value(id).kind == ir::ValueKind::output;
      stream.copy_to_host(rows.data(), is_output ? executor.output(id) : step_.context.buffers.address(id),
                          rows.size());
    }
    stream.synchronize();
    seen.own_state = digests(0, step_.rows);
    seen.others = digests(step_.rows, all);
    return seen;
  }

  const PaddedStep& step_;
  std::vector<ir::ValueId> results_;
  std::vector<ir::ValueId> states_;
};

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
                    ": the outermost extent is not a multiple of the batch, so rows "
                    "of padding cannot be separated from the caller's rows");
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
    Tensor& input = inputs_.emplace_back();
    input = {.id = id,
             .own = Buffer(memory_, desc.bytes()),
             .static_rows = nullptr,
             .row_bytes = row_bytes(program_, id),
             .padded_from = 0,
             .written = std::ranges::count(written, id) > 0};
    input.static_rows = static_cast<std::byte*>(context.buffers.address(id));
    memory_.fill(stream_, input.own.data(), desc.dtype, static_cast<std::size_t>(desc.elements()),
                 program_.value(id).init, ir::mix64(seed + id));
  }
  for (const ir::ValueId id : program_.values_of(ir::ValueKind::output)) {
    outputs_.push_back({.id = id,
                        .own = Buffer(memory_, program_.describe(id, rows_max).bytes()),
                        .static_rows = nullptr,
                        .row_bytes = row_bytes(program_, id),
                        .padded_from = 0});
  }
  forget();
}

void Caller::forget() {
  for (Tensor& input : inputs_) input.padded_from = rows_max_;
}

void Caller::pad(const Tensor& input, Rows rows) {
  const ir::Value& value = program_.value(input.id);
  const std::size_t bytes = input.bytes(rows.count);
  std::byte* const first = input.static_rows + input.bytes(rows.first);
  // Filling bytes is a single driver call; filling numbers launches a kernel.
  if (value.pad == 0) return stream_.fill_bytes(first, 0, bytes);
  if (value.pad == -1 && value.dtype == ir::DType::i32) return stream_.fill_bytes(first, 0xFF, bytes);
  memory_.fill(stream_, first, value.dtype, bytes / ir::size_of(value.dtype),
               {ir::Init::Kind::constant, value.pad, value.pad}, 0);
}

void Caller::copy_in(Rows rows, std::int64_t size) {
  for (Tensor& input : inputs_) {
    stream_.copy_on_device(input.static_rows, input.own_row(rows.first), input.bytes(rows.count));
    const std::int64_t end = std::min(size, input.padded_from);
    if (rows.count < end) pad(input, {rows.count, end - rows.count});
    // If `size` < `padded_from`, the rows from `size` on were not padded, so it does not change.
    if (size >= input.padded_from) input.padded_from = rows.count;
  }
}

void Caller::copy_back(Rows rows, std::int64_t size) {
  for (Tensor& input : inputs_) {
    if (!input.written) continue;
    stream_.copy_on_device(input.own_row(rows.first), input.static_rows, input.bytes(rows.count));
    input.padded_from = std::max(input.padded_from, size);  // the step also wrote its padding rows
  }
}

void Caller::copy_out(const execution::Executor& executor, Rows rows) {
  for (const Tensor& output : outputs_) {
    stream_.copy_on_device(output.own_row(rows.first), executor.output(output.id), output.bytes(rows.count));
  }
}

void check_isolation(const PaddedStep& step) {
  IsolationCheck(step).run();
}

}  // namespace graphbench::ladder
