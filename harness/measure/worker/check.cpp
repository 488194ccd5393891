// Compares outputs byte by byte, but state, inputs and weights by digests, because they may have gigabytes.
#include "harness/measure/worker/check.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graphs/ir/cond.hpp"
#include "harness/measure/worker/to_float.hpp"

namespace graphbench::measure {
namespace {

using execution::ExecutionContext;
using execution::Executor;

// All bits set is a NaN in fp32, fp16 and bf16.
constexpr int poison_byte = 0xFF;

void poison(Stream& stream, const execution::MemoryPool& pool) {
  for (const execution::MemoryRange& range : pool.free_ranges())
    stream.fill_bytes(range.data, poison_byte, range.bytes);
}

// Digests memory for the largest batch, because a step must not write beyond its own batch either.
std::vector<std::uint64_t> digests_of(const ExecutionContext& context, const std::vector<ir::ValueId>& ids) {
  std::vector<std::uint64_t> digests;
  for (const ir::ValueId id : ids) {
    const std::size_t bytes = context.program.describe(id, context.buffers.largest_batch()).bytes();
    digests.push_back(context.device.digest(context.stream, context.buffers.address(id), bytes / 4 * 4));
  }
  return digests;
}

// The inputs, weights, parameters and state that no op lists in `mutates`: no step may change them.
std::vector<ir::ValueId> constants_of(const ir::Program& program) {
  std::set<ir::ValueId> written;
  for (const ir::Op& op : program.ops()) written.insert(op.mutates.begin(), op.mutates.end());
  std::vector<ir::ValueId> constants;
  for (const ir::ValueKind kind :
       {ir::ValueKind::input, ir::ValueKind::weight, ir::ValueKind::state, ir::ValueKind::parameter}) {
    for (const ir::ValueId id : program.values_of(kind)) {
      if (!written.contains(id)) constants.push_back(id);
    }
  }
  return constants;
}

void write_predicate(Stream& stream, void* at, bool on_host, bool taken) {
  const std::int32_t value = taken ? 1 : 0;
  if (on_host) {
    std::memcpy(at, &value, sizeof(value));
  } else {
    stream.copy_to_device(at, &value, sizeof(value));
    stream.synchronize();
  }
}

void fill(const CheckedStep& step) {
  const ExecutionContext& context = step.context;
  context.buffers.fill_inputs(context.stream, step.seed);
  context.buffers.fill_state(context.stream, step.seed);
  for (const ir::ValueId id : ir::predicates_of(context.program))
    write_predicate(context.stream, context.buffers.address(id), false, step.taken);
}

// Writes the next step's inputs into the caller's memory, and fills the memory of its outputs with poison.
void write_callers(const CheckedStep& step) {
  execution::CallerMemory* const caller = step.context.caller;
  if (caller == nullptr || step.mode == execution::ExecutionMode::eager) return;
  caller->fill_inputs(step.context.stream, step.seed, step.executor.next_place());
  caller->poison_outputs(step.context.stream, step.executor.next_place());
  for (const ir::ValueId id : ir::predicates_of(step.context.program)) {
    const bool moved = caller->moves(id);
    void* const at = caller->address(id, step.executor.next_place());
    write_predicate(step.context.stream, at, moved && caller->on_host(), step.taken);
  }
}

// Fills the static buffers, then the caller's memory, from which the step may read its inputs instead.
void fill_callers(const CheckedStep& step) {
  fill(step);
  write_callers(step);
}

// Outputs, gradients, and inputs that ops write in place.
std::vector<ir::ValueId> written_of(const ir::Program& program) {
  std::vector<ir::ValueId> written = program.results();
  const std::vector<ir::ValueId> inputs = ir::mutated_inputs(program);
  written.insert(written.end(), inputs.begin(), inputs.end());
  return written;
}

// Runs eager's last step again, op by op at the same addresses. Names the first op after which the digest of
// `value` differs from `untouched`.
std::string writer_of(const CheckedStep& step, ir::ValueId value, std::uint64_t untouched) {
  const ExecutionContext& context = step.context;
  context.buffers.fill_weights(context.stream, step.weights_seed);
  fill(step);
  for (const execution::StepItem& item : step.executor.eager().items()) {
    item.kernel->launch(context.stream, item.operands);
    if (digests_of(context, {value}).front() == untouched) continue;
    const ir::Op& op = context.program.ops()[item.op];
    return "op " + op.name + " (" + op.kind + ")";
  }
  return "an unknown op (not found when the ops ran one by one)";
}

void require_untouched(const CheckedStep& step, const std::vector<ir::ValueId>& constants,
                       const std::vector<std::uint64_t>& before) {
  const std::vector<std::uint64_t> after = digests_of(step.context, constants);
  for (std::size_t i = 0; i < constants.size(); ++i) {
    if (after[i] == before[i]) continue;
    const ir::Value& value = step.context.program.value(constants[i]);
    throw Error(ErrorCode::undeclared_mutation, "check: " + writer_of(step, constants[i], before[i]) +
                                                    " wrote " + std::string(name_of(value.kind)) + " " +
                                                    value.name + ", but does not declare that write");
  }
}

void run_checked_step(const CheckedStep& step, Executor& executor, const execution::MemoryPool& pool,
                      Observed& observed) {
  const ExecutionContext& context = step.context;
  const bool is_eager = &executor.eager() == &executor;
  execution::CallerMemory* const caller = is_eager ? nullptr : context.caller;
  poison(context.stream, pool);
  context.stream.synchronize();
  std::size_t place = 0;
  for (int i = 0; i < step.steps; ++i) {
    if (i > 0 && !is_eager) write_callers(step);
    place = executor.next_place();
    executor.submit();
  }
  context.stream.synchronize();
  const std::vector<ir::ValueId> written = written_of(context.program);
  observed.outputs.resize(written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    const bool is_input = context.program.value(written[i]).kind == ir::ValueKind::input;
    const bool moved = caller != nullptr && caller->moves(written[i]);
    const void* const at = !is_input ? executor.output(written[i])
                           : moved   ? caller->address(written[i], place)
                                     : context.buffers.address(written[i]);
    std::vector<std::byte>& bytes = observed.outputs[i];
    bytes.resize(context.program.describe(written[i], step.batch).bytes());
    if (moved && caller->on_host()) {
      std::memcpy(bytes.data(), at, bytes.size());
    } else {
      context.stream.copy_to_host(bytes.data(), at, bytes.size());
    }
  }
  context.stream.synchronize();
  observed.state_digests = digests_of(context, ir::mutated_state(context.program));
}

void require_finite(const ir::Value& value, const std::vector<std::byte>& bytes) {
  const std::optional<std::size_t> bad = first_not_finite(value.dtype, bytes);
  if (!bad) return;
  throw Error(ErrorCode::check_failed,
              "check: eager's output " + value.name + " is not finite at element " + std::to_string(*bad));
}

model::Check check_once(const CheckedStep& step, CheckMemory& memory, std::string& why) {
  const ir::Program& program = step.context.program;
  const bool is_eager = step.mode == execution::ExecutionMode::eager;
  model::Check check{.reference = is_eager ? "eager_again" : "eager",
                     .identical = true,
                     .max_abs_error = 0,
                     .tolerated = {},
                     .state = {},
                     .inputs = {},
                     .remarks = {}};
  const std::vector<ir::ValueId> constants = constants_of(program);
  // Restores the weights. Otherwise an op that writes the same values in each step would not be found.
  step.context.buffers.fill_weights(step.context.stream, step.weights_seed);
  fill(step);
  const std::vector<std::uint64_t> before = digests_of(step.context, constants);
  run_checked_step(step, step.executor.eager(), step.context.eager_pool, memory.expected);
  require_untouched(step, constants, before);
  fill_callers(step);
  run_checked_step(step, step.executor, is_eager ? step.context.eager_pool : *step.context.graph_pool,
                   memory.actual);
  const auto& [expected, actual] = memory;
  why.clear();
  const std::vector<ir::ValueId> written = written_of(program);
  for (std::size_t i = 0; i < written.size(); ++i) {
    const ir::Value& value = program.value(written[i]);
    require_finite(value, expected.outputs[i]);
    if (same_bytes(expected.outputs[i], actual.outputs[i])) continue;
    check.identical = false;
    const Difference difference = difference_of(value.dtype, expected.outputs[i], actual.outputs[i]);
    check.max_abs_error = std::max(check.max_abs_error, difference.largest);
    if (why.empty())
      why = std::string(name_of(value.kind)) + " " + value.name + " differs from " + check.reference;
  }
  const std::vector<ir::ValueId> states = ir::mutated_state(program);
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (expected.state_digests[i] == actual.state_digests[i]) continue;
    check.identical = false;
    if (why.empty()) why = "state " + program.value(states[i]).name + " differs from " + check.reference;
  }
  return check;
}

}  // namespace

model::Check check_against_eager(const CheckedStep& step, CheckMemory& memory, std::string& why) {
  model::Check check = check_once(step, memory, why);
  if (!check.identical || ir::predicates_of(step.context.program).empty()) return check;
  CheckedStep other = step;
  other.taken = !step.taken;
  check = check_once(other, memory, why);
  step.context.buffers.fill_inputs(step.context.stream, step.seed);  // restores the program's own predicates
  return check;
}

}  // namespace graphbench::measure
