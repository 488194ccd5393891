// Compares outputs byte by byte and mutated state by digest (a KV cache may be gigabytes).
#include "harness/worker/check.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "harness/worker/not_finite.hpp"
#include "harness/worker/to_float.hpp"

namespace graphbench::worker {
namespace {

using execution::ExecutionContext;
using execution::Executor;

// All bits set is a NaN in fp32, fp16 and bf16.
constexpr int poison_byte = 0xFF;

void poison(Stream& stream, const pool::MemoryPool& pool) {
  for (const pool::MemoryRange& range : pool.free_ranges())
    stream.fill_bytes(range.data, poison_byte, range.bytes);
}

// The state's memory for the largest batch: a step must not write beyond its own batch either.
std::size_t state_bytes(const ExecutionContext& context, ir::ValueId id) {
  const std::size_t bytes = context.program.describe(id, context.buffers.largest_batch()).bytes();
  return bytes / 4 * 4;
}

void run(const CheckedStep& step, Executor& executor, const pool::MemoryPool& pool, Observed& observed) {
  const ExecutionContext& context = step.context;
  context.buffers.fill_inputs(context.stream, step.seed);
  context.buffers.fill_state(context.stream, step.seed);
  poison(context.stream, pool);
  context.stream.synchronize();
  executor.submit();
  context.stream.synchronize();
  const std::vector<ir::ValueId> outputs = context.program.values_of(ir::ValueKind::output);
  observed.outputs.resize(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::vector<std::byte>& bytes = observed.outputs[i];
    bytes.resize(context.program.describe(outputs[i], step.batch).bytes());
    context.stream.copy_to_host(bytes.data(), executor.output(outputs[i]), bytes.size());
  }
  context.stream.synchronize();
  observed.state_digests.clear();
  for (const ir::ValueId id : ir::mutated_state(context.program)) {
    observed.state_digests.push_back(
        context.device.digest(context.stream, context.buffers.address(id), state_bytes(context, id)));
  }
}

// A comparison of vectors of std::byte goes byte by byte.
bool same_bytes(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

void require_finite(const ir::Value& value, const std::vector<std::byte>& bytes) {
  const std::optional<std::size_t> bad = first_not_finite(value.dtype, bytes);
  if (!bad) return;
  throw Error(ErrorCode::check_failed,
              "check: eager's output " + value.name + " is not finite at element " + std::to_string(*bad));
}

// The largest difference; NaN on one side counts as infinite, written as the largest double because
// result documents hold no infinity.
double max_abs_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    largest = std::max(largest, std::isfinite(difference) ? difference : std::numeric_limits<double>::max());
  }
  return largest;
}

}  // namespace

model::Check check_against_eager(const CheckedStep& step, CheckMemory& memory, std::string& why) {
  const ir::Program& program = step.context.program;
  const bool is_eager = step.mode == execution::ExecutionMode::eager;
  model::Check check{.reference = is_eager ? "eager_again" : "eager", .identical = true, .max_abs_error = 0};
  run(step, step.executor.eager(), step.context.eager_pool, memory.expected);
  run(step, step.executor, is_eager ? step.context.eager_pool : *step.context.graph_pool, memory.actual);
  const auto& [expected, actual] = memory;
  why.clear();
  const std::vector<ir::ValueId> outputs = program.values_of(ir::ValueKind::output);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const ir::Value& value = program.value(outputs[i]);
    require_finite(value, expected.outputs[i]);
    if (same_bytes(expected.outputs[i], actual.outputs[i])) continue;
    check.identical = false;
    check.max_abs_error =
        std::max(check.max_abs_error, max_abs_difference(to_float(value.dtype, expected.outputs[i]),
                                                         to_float(value.dtype, actual.outputs[i])));
    if (why.empty()) why = "output " + value.name + " differs from " + check.reference;
  }
  const std::vector<ir::ValueId> states = ir::mutated_state(program);
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (expected.state_digests[i] == actual.state_digests[i]) continue;
    check.identical = false;
    if (why.empty()) why = "state " + program.value(states[i]).name + " differs from " + check.reference;
  }
  return check;
}

}  // namespace graphbench::worker
