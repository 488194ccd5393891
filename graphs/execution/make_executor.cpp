// Chooses the executor of a mode, after the checks that decide whether graphs can hold the program.
#include <utility>

#include "graphs/execution/captured.hpp"
#include "graphs/execution/eager.hpp"
#include "graphs/execution/executor.hpp"

namespace graphbench::execution {
namespace {

// As harness/model/vocabulary.hpp has them; a test holds the two together.
constexpr std::pair<ExecutionMode, std::string_view> mode_names[] = {
    {ExecutionMode::eager, "eager"},
    {ExecutionMode::whole, "whole"},
    {ExecutionMode::piecewise, "piecewise"},
};

void refuse_mutated_inputs(const ir::Program& program) {
  const std::vector<ir::ValueId> mutated = ir::mutated_inputs(program);
  if (mutated.empty()) return;
  throw Error(ErrorCode::mutated_input, "program " + program.name() + ": it writes to its input " +
                                            program.value(mutated.front()).name +
                                            ", so a replay would change what the caller passed in");
}

void refuse_uncapturable(const ir::Program& program) {
  const ir::Op* op = ir::first_uncapturable(program);
  if (op == nullptr) return;
  if (op->traits.host_op) {
    throw Error(ErrorCode::host_op, "program " + program.name() + ": op " + op->name + " (" + op->kind +
                                        ") runs on the host, one graph cannot hold it");
  }
  throw Error(ErrorCode::not_capturable_op, "program " + program.name() + ": op " + op->name + " (" +
                                                op->kind + ") is marked as not capturable");
}

std::vector<ir::Segment> segments_of(ExecutionMode mode, const ExecutionContext& context) {
  if (mode == ExecutionMode::whole) return {{true, 0, static_cast<ir::OpId>(context.program.ops().size())}};
  return ir::partition(context.program, context.split_kinds.empty() ? context.program.default_split_kinds()
                                                                    : context.split_kinds);
}

}  // namespace

std::string_view name_of(ExecutionMode mode) noexcept {
  for (const auto& [each, name] : mode_names) {
    if (each == mode) return name;
  }
  return "unknown";
}

std::optional<ExecutionMode> find_mode(std::string_view name) noexcept {
  for (const auto& [each, known] : mode_names) {
    if (known == name) return each;
  }
  return std::nullopt;
}

std::unique_ptr<Executor> make_executor(ExecutionMode mode, const ExecutionContext& context,
                                        std::int64_t batch) {
  if (mode == ExecutionMode::eager) return std::make_unique<EagerExecutor>(context, batch);
  GRAPHBENCH_ASSERT(context.graph_pool != nullptr);
  refuse_mutated_inputs(context.program);
  if (mode == ExecutionMode::whole) refuse_uncapturable(context.program);
  return std::make_unique<CapturedExecutor>(context, batch, segments_of(mode, context));
}

}  // namespace graphbench::execution
