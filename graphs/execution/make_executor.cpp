// Chooses the executor of a mode, after the checks that decide whether graphs can hold the program.
#include <algorithm>
#include <utility>

#include "graphs/execution/caller_executor.hpp"
#include "graphs/execution/eager.hpp"
#include "graphs/execution/executor.hpp"

namespace graphbench::execution {
namespace {

// These names are those of harness/model/vocabulary.hpp, as a test checks.
constexpr std::pair<ExecutionMode, std::string_view> mode_names[] = {
    {ExecutionMode::eager, "eager"},
    {ExecutionMode::whole, "whole"},
    {ExecutionMode::piecewise, "piecewise"},
};

// An op that writes an input in place works on the caller's memory, unless that is copied.
void refuse_mutated_inputs(const ir::Program& program, const CallerMemory* caller) {
  if (caller == nullptr || !copies(caller->settings().form) || caller->settings().copy_back) return;
  for (const ir::ValueId id : ir::mutated_inputs(program)) {
    if (caller->moves(id)) refuse_mutated_input(program, id, "--mutated-inputs copy_back, or another --io");
  }
}

void refuse_uncapturable(const ir::Program& program) {
  const ir::Op* op = ir::first_uncapturable(program);
  if (op == nullptr) return;
  const bool host = op->traits.host_op;
  const ErrorCode code = op->phase != ir::Phase::forward ? ErrorCode::no_gradient_capture
                         : host                          ? ErrorCode::host_op
                                                         : ErrorCode::not_capturable_op;
  throw Error(code,
              "program " + program.name() + ": op " + op->name + " (" + op->kind + ") " +
                  (host ? "runs on the host, one graph cannot hold it" : "is marked as not capturable"));
}

}  // namespace

void refuse_mutated_input(const ir::Program& program, ir::ValueId input, const char* instead) {
  const ir::Op& op = *std::ranges::find_if(
      program.ops(), [&](const ir::Op& each) { return std::ranges::count(each.mutates, input) > 0; });
  throw Error(ErrorCode::mutated_input, "program " + program.name() + ": op " + op.name + " (" + op.kind +
                                            ") writes to the input " + program.value(input).name +
                                            ", and a replay would change a copy of what the caller passed "
                                            "in; give " +
                                            instead);
}

std::vector<ir::Segment> segments_of(ExecutionMode mode, const ir::Program& program,
                                     const std::vector<std::string>& splits) {
  switch (mode) {
    case ExecutionMode::eager:
      return {{false, 0, static_cast<ir::OpId>(program.ops().size())}};
    case ExecutionMode::whole:
      refuse_uncapturable(program);
      return ir::graphs_of(program, ir::partition(program, {}));
    case ExecutionMode::piecewise:
      break;
  }
  return ir::graphs_of(program, ir::partition(program, splits.empty() ? program.default_splits() : splits));
}

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
  refuse_mutated_inputs(context.program, context.caller);
  const std::vector<ir::Segment> segments = segments_of(mode, context.program, context.splits);
  if (context.caller != nullptr) return std::make_unique<CallerExecutor>(context, batch, segments);
  return std::make_unique<CapturedExecutor>(context, batch, segments);
}

}  // namespace graphbench::execution
