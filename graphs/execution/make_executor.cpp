// Chooses the executor of a mode. First checks whether graphs can contain the program's ops.
#include <algorithm>
#include <iterator>
#include <utility>

#include "graphs/execution/caller_executor.hpp"
#include "graphs/execution/eager.hpp"
#include "graphs/execution/executor.hpp"
#include "graphs/ir/cond.hpp"

namespace graphbench::execution {
namespace {

// A test checks that these names equal the names in harness/model/vocabulary.hpp.
constexpr std::pair<ExecutionMode, std::string_view> mode_names[] = {
    {ExecutionMode::eager, "eager"},
    {ExecutionMode::whole, "whole"},
    {ExecutionMode::piecewise, "piecewise"},
};

// Throws if a form copies in an input that an op writes, but does not copy it back: the write would be lost.
void refuse_mutated_inputs(const ir::Program& program, const CallerMemory* caller) {
  if (caller == nullptr || !copies(caller->settings().form) || caller->settings().copy_back) return;
  for (const ir::ValueId id : ir::mutated_inputs(program)) {
    if (caller->moves(id)) refuse_mutated_input(program, id, "--mutated-inputs copy_back, or another --io");
  }
}

[[noreturn]] void refuse_uncapturable(const ir::Program& program, const ir::Op& op) {
  const bool host = op.traits.host_op;
  const ErrorCode code = op.phase != ir::Phase::forward ? ErrorCode::no_gradient_capture
                         : host                         ? ErrorCode::host_op
                                                        : ErrorCode::not_capturable_op;
  throw Error(code, "program " + program.name() + ": op " + op.name + " (" + op.kind + ") " +
                        (host ? "runs on the host, so one graph cannot contain the op"
                              : "is marked as not capturable"));
}

// True if the span contains an op that no graph can contain. Throws if such a span also contains forward ops.
bool runs_eagerly(const ir::Program& program, const ir::Segment& span) {
  const auto first = program.ops().begin() + static_cast<std::ptrdiff_t>(span.first);
  const auto last = program.ops().begin() + static_cast<std::ptrdiff_t>(span.last);
  const auto fits = [](const ir::Op& op) { return op.traits.capturable && !op.traits.host_op; };
  const auto refused = std::find_if_not(first, last, fits);
  if (refused == last) return false;
  const auto is_forward = [](const ir::Op& op) { return op.phase == ir::Phase::forward; };
  if (std::any_of(first, last, is_forward)) refuse_uncapturable(program, *refused);
  return true;
}

// One graph, or several if the training options ask for several.
std::vector<ir::Segment> segments_of_whole(const ir::Program& program) {
  const auto count = static_cast<ir::OpId>(program.ops().size());
  std::vector<ir::Segment> segments = ir::graphs_of(program, ir::partition(program, {}));
  for (const ir::Segment& span : ir::graphs_of(program, {{true, 0, count}})) {
    if (!runs_eagerly(program, span)) continue;
    const auto within = [&](const ir::Segment& each) {
      return each.first >= span.first && each.last <= span.last;
    };
    const auto at = std::ranges::find_if(segments, within);
    if (at == segments.end()) continue;  // these ops run eagerly with an adjacent span
    const auto end = std::find_if_not(at, segments.end(), within);
    *at = {false, at->first, std::prev(end)->last};
    segments.erase(std::next(at), end);
  }
  return segments;
}

std::vector<ir::Segment> segments_of_piecewise(const ir::Program& program,
                                               const std::vector<std::string>& splits) {
  std::vector<std::string> at = splits.empty() ? program.default_splits() : splits;
  at.emplace_back(ir::cond_kind);
  return ir::graphs_of(program, ir::partition(program, at));
}

}  // namespace

void Executor::join_switch(const std::vector<Executor*>&, void*) {
  throw Error(
      ErrorCode::unsupported,
      "record a SWITCH over steps: a step must be a single graph, and at most 256 steps fit: give --mode "
      "whole and at most 256 sizes, or --exec own");
}

void refuse_mutated_input(const ir::Program& program, ir::ValueId input, const char* instead) {
  const ir::Op& op = *std::ranges::find_if(
      program.ops(), [&](const ir::Op& each) { return std::ranges::count(each.mutates, input) > 0; });
  throw Error(ErrorCode::mutated_input, "program " + program.name() + ": op " + op.name + " (" + op.kind +
                                            ") writes to the input " + program.value(input).name +
                                            ", so a replay would change a copy of the caller's value "
                                            "only; give " +
                                            instead);
}

std::vector<ir::Segment> segments_of(ExecutionMode mode, const ir::Program& program,
                                     const std::vector<std::string>& splits) {
  switch (mode) {
    case ExecutionMode::eager:
      return {{false, 0, static_cast<ir::OpId>(program.ops().size())}};
    case ExecutionMode::whole:
      return segments_of_whole(program);
    case ExecutionMode::piecewise:
      return segments_of_piecewise(program, splits);
  }
  // Behind the switch, so that the compiler still names a mode that has no case.
  throw Error(ErrorCode::internal,
              "cut program " + program.name() + ": mode " + std::string(name_of(mode)) + " has no segments");
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
  if (context.forked && context.caller != nullptr && context.caller->settings().form == IoForm::set_params)
    throw Error(ErrorCode::unsupported,
                "--io set_params records ops one after the other: give --branches serial, or another --io");
  if (context.caller != nullptr) return std::make_unique<CallerExecutor>(context, batch, segments);
  return std::make_unique<CapturedExecutor>(context, batch, segments);
}

}  // namespace graphbench::execution
