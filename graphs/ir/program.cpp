// Implements programs and their builder, which reports a workload's mistake at the op that causes it.
#include "graphs/ir/program.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::ir {
namespace {

[[noreturn]] void refuse_program(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, what);
}

bool is_read(const Program& program, ValueId id) {
  return std::ranges::any_of(program.ops(), [id](const Op& op) { return contains(op.inputs, id); });
}

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t at = 0, next = 0;  // positions in `text` and in `pattern`
  // position of the last '*' in `pattern`, and the end of the text that it matches so far
  std::size_t star = std::string_view::npos, covered = 0;
  while (at < text.size()) {
    if (next < pattern.size() && pattern[next] == '*') {
      star = next++;
      covered = at;
    } else if (next < pattern.size() && pattern[next] == text[at]) {
      ++next;
      ++at;
    } else if (star != std::string_view::npos) {
      next = star + 1;
      at = ++covered;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', next) == std::string_view::npos;
}

}  // namespace

bool names_ops(std::string_view split) {
  return split.find_first_of(".*") != std::string_view::npos;
}

bool splits_at(const Op& op, std::string_view split) {
  if (!names_ops(split)) return op.kind == split || (!split.empty() && op.splits_with == split);
  if (matches(split, op.name)) return true;
  // Names of parts and gradients begin with the op's name. A sum of gradients is named after its value.
  if (op.phase != Phase::forward && op.phase != Phase::backward) return false;
  for (std::size_t dot = op.name.rfind('.'); dot != std::string::npos; dot = op.name.rfind('.', dot - 1)) {
    if (matches(split, std::string_view(op.name).substr(0, dot))) return true;
    if (dot == 0) break;
  }
  return false;
}

std::vector<std::uint32_t> mutated_positions(const OpDefinition& definition, std::size_t inputs) {
  std::vector<std::uint32_t> positions = definition.mutated_inputs;
  const InputGroups& groups = definition.groups;
  for (std::size_t at = definition.inputs_ahead; groups.size > 0 && at < inputs; at += groups.size) {
    for (std::size_t i = 0; i < groups.size && at + i < inputs; ++i) {
      if ((groups.mutated >> i & 1U) != 0) positions.push_back(static_cast<std::uint32_t>(at + i));
    }
  }
  return positions;
}

bool is_computed(ValueKind kind) noexcept {
  return kind == ValueKind::activation || kind == ValueKind::output || kind == ValueKind::gradient;
}

std::string_view name_of(ValueKind kind) noexcept {
  constexpr std::array<std::string_view, 7> names{"input",  "weight",    "state",   "activation",
                                                  "output", "parameter", "gradient"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string_view name_of(Phase phase) noexcept {
  constexpr std::array<std::string_view, 4> names{"forward", "backward", "accumulate", "optimizer"};
  return names.at(static_cast<std::size_t>(phase));
}

std::string layer_of(std::string_view op_name) {
  return std::string(op_name.substr(0, op_name.find('.')));
}

std::vector<ValueId> Program::values_of(ValueKind kind) const {
  std::vector<ValueId> ids;
  for (ValueId id = 0; id < values_.size(); ++id) {
    if (values_[id].kind == kind) ids.push_back(id);
  }
  return ids;
}

std::vector<ValueId> Program::results() const {
  std::vector<ValueId> ids = values_of(ValueKind::output);
  const std::vector<ValueId> gradients = values_of(ValueKind::gradient);
  ids.insert(ids.end(), gradients.begin(), gradients.end());
  return ids;
}

std::int64_t Program::part_of(std::int64_t batch) const {
  if (batch % micro_batches_ == 0) return batch / micro_batches_;
  refuse_program("program " + name_ + ": batch " + std::to_string(batch) + " does not divide into " +
                 std::to_string(micro_batches_) + " micro-batches");
}

TensorDesc Program::describe(ValueId id, std::int64_t batch) const {
  const Value& described = value(id);
  return resolve(described.dtype, described.shape, part_of(batch));
}

OpCall Program::call(OpId op_id, std::int64_t batch) const {
  const Op& op = ops_.at(op_id);
  OpCall call;
  call.op = &op;
  call.batch = part_of(batch);
  call.input_count = op.inputs.size();
  for (const ValueId id : op.inputs) {
    call.operands.push_back(describe(id, batch));
    call.weights.push_back(value(id).kind == ValueKind::weight);
  }
  for (const ValueId id : op.outputs) call.operands.push_back(describe(id, batch));
  return call;
}

ProgramBuilder::ProgramBuilder(std::string program_name, const OpCatalog& catalog) : catalog_(catalog) {
  program_.name_ = std::move(program_name);
}

ProgramBuilder::ProgramBuilder(const Program& like, const OpCatalog& catalog)
    : catalog_(catalog), program_(like) {
  program_.ops_.clear();
  for (const Value& value : program_.values_) {
    if (!is_computed(value.kind)) names_.insert(value.name);
  }
}

ValueId ProgramBuilder::value(ValueKind kind, std::string name, DType dtype, Shape shape, Init init) {
  if (is_computed(kind)) {
    refuse_program("value " + name + ": only ops make activations, outputs and gradients");
  }
  if (name.empty()) refuse_program("a value of program " + program_.name_ + " has no name");
  if (shape.empty()) refuse_program("value " + name + ": a shape needs at least one extent");
  // A shape that is wrong at batch 1 is a mistake of the workload, not of the user's batch.
  static_cast<void>(resolve(dtype, shape, 1).bytes());
  if (!names_.insert(name).second) refuse_program("value " + name + ": the name is already in use");
  program_.values_.push_back({std::move(name), kind, dtype, std::move(shape), init});
  return static_cast<ValueId>(program_.values_.size() - 1);
}

const OpDefinition& ProgramBuilder::known_kind(const std::string& of, const std::string& kind) const {
  if (const OpDefinition* definition = catalog_.find(kind)) return *definition;
  refuse_program(of + ": unknown op kind \"" + kind + "\": give one of " + join(catalog_.kinds()));
}

std::vector<ValueId> ProgramBuilder::op(std::string kind, std::string name, std::vector<ValueId> inputs,
                                        Attributes attributes) {
  const OpDefinition* definition = &known_kind("op " + name, kind);
  if (name.empty()) refuse_program("an op of kind " + kind + " has no name");
  if (names_.contains(name)) refuse_program("op " + name + ": the name is already in use");
  Op op{.kind = std::move(kind),
        .name = std::move(name),
        .inputs = std::move(inputs),
        .outputs = {},
        .mutates = {},
        .attributes = std::move(attributes),
        .traits = definition->traits,
        .definition = definition,
        .phase = phase_,
        .splits_with = splits_with_,
        .recomputes = {}};
  Inputs input_values;
  for (const ValueId id : op.inputs) {
    if (id >= program_.values_.size())
      refuse_program(op.name + ": an input has the id " + std::to_string(id) + ", which is not a value");
    input_values.push_back(&program_.values_[id]);
  }
  for (const std::uint32_t position : mutated_positions(*definition, op.inputs.size())) {
    if (position >= op.inputs.size())
      refuse_program(op.name + ": the op writes to input " + std::to_string(position) + ", but has only " +
                     std::to_string(op.inputs.size()) + " inputs");
    const ValueId target = op.inputs[position];
    if (program_.values_[target].kind == ValueKind::weight) {
      refuse_program(op.name + ": the op would write to the weight " + program_.values_[target].name);
    }
    op.mutates.push_back(target);
  }
  const std::vector<InferredOutput> inferred = definition->infer(op, input_values);
  for (std::size_t i = 0; i < inferred.size(); ++i) {
    std::string value_name = inferred.size() == 1 ? op.name : op.name + "." + std::to_string(i);
    program_.values_.push_back(
        {std::move(value_name), ValueKind::activation, inferred[i].dtype, inferred[i].shape, {}});
    op.outputs.push_back(static_cast<ValueId>(program_.values_.size() - 1));
  }
  std::vector<ValueId> outputs = op.outputs;
  names_.insert(op.name);
  program_.ops_.push_back(std::move(op));
  return outputs;
}

void ProgramBuilder::mark(ValueId id, ValueKind kind) {
  const std::string what(name_of(kind));
  if (id >= program_.values_.size()) refuse_program(what + " " + std::to_string(id) + " is not a value");
  Value& value = program_.values_[id];
  if (value.kind != ValueKind::activation) {
    refuse_program("value " + value.name + ": the kind is " + std::string(name_of(value.kind)) +
                   ", but only an activation can become an " + what);
  }
  value.kind = kind;
}

void ProgramBuilder::begin_phase(Phase phase, std::string splits_with) {
  phase_ = phase;
  splits_with_ = std::move(splits_with);
}

void ProgramBuilder::start_graphs(const std::function<std::string(const Op&)>& graph_of) {
  std::string current;
  for (Op& op : program_.ops_) {
    const std::string graph = op.traits.marker ? "" : graph_of(op);
    if (graph.empty() || graph == current) continue;
    op.starts_graph = !current.empty();
    current = graph;
  }
}

void ProgramBuilder::launch_eagerly(Phase phase) {
  for (Op& op : program_.ops_) op.eager = op.eager || op.phase == phase;
}

void ProgramBuilder::remove_dead_ops() {
  std::vector<bool> live(program_.values_.size());
  for (ValueId id = 0; id < live.size(); ++id) live[id] = program_.values_[id].kind != ValueKind::activation;
  std::vector<Op> kept;
  for (auto op = program_.ops_.rbegin(); op != program_.ops_.rend(); ++op) {
    const bool needed = op->traits.marker || !op->mutates.empty() ||
                        std::ranges::any_of(op->outputs, [&](ValueId id) { return live[id]; });
    if (!needed) {
      log("removed " + op->name + " (" + op->kind + "): no op reads its outputs");
      ++program_.removed_ops_;
      continue;
    }
    for (const ValueId id : op->inputs) live[id] = true;
    kept.push_back(std::move(*op));
  }
  program_.ops_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  drop_unused();
}

void ProgramBuilder::drop_unused() {
  std::erase_if(program_.default_splits_, [this](const std::string& kind) {
    return std::ranges::none_of(program_.ops_, [&](const Op& op) { return splits_at(op, kind); });
  });
  std::vector<bool> used;
  for (const Value& value : program_.values_) used.push_back(value.kind != ValueKind::activation);
  for (const Op& op : program_.ops_) {
    for (const ValueId id : op.outputs) used[id] = true;
  }
  std::vector<ValueId> renamed(used.size());
  std::vector<Value> values;
  for (ValueId id = 0; id < used.size(); ++id) {
    renamed[id] = static_cast<ValueId>(values.size());
    if (used[id]) values.push_back(std::move(program_.values_[id]));
  }
  program_.values_ = std::move(values);
  for (Op& op : program_.ops_) {
    for (std::vector<ValueId>* ids : {&op.inputs, &op.outputs, &op.mutates}) {
      for (ValueId& id : *ids) id = renamed[id];
    }
  }
  for (GradientHook& hook : program_.hooks_) hook.weight = renamed[hook.weight];
}

void ProgramBuilder::hook(GradientHook hook) {
  static_cast<void>(known_kind("hook " + hook.name, hook.kind));
  if (hook.weight >= program_.values_.size() || program_.values_[hook.weight].kind != ValueKind::weight ||
      program_.values_[hook.weight].dtype == DType::i32)
    refuse_program("hook " + hook.name + ": value " + std::to_string(hook.weight) +
                   " is not a weight of floats, so it has no gradient");
  if (!names_.insert(hook.name).second) refuse_program("hook " + hook.name + ": the name is already in use");
  program_.hooks_.push_back(std::move(hook));
}

void ProgramBuilder::pad_with(ValueId input, double pad) {
  if (input >= program_.values_.size() || program_.values_[input].kind != ValueKind::input)
    refuse_program("program " + program_.name_ + ": value " + std::to_string(input) +
                   " is not an input, so it has no pad value");
  program_.values_[input].pad = pad;
}

Program ProgramBuilder::finish() {
  const bool writes = std::ranges::any_of(program_.ops_, [](const Op& op) { return !op.mutates.empty(); });
  if (program_.values_of(ValueKind::output).empty() && !writes) {
    refuse_program("program " + program_.name_ + ": the program has no output");
  }
  std::vector<bool> may_be_unread(program_.values_.size());  // backward outputs need no reader
  for (const Op& op : program_.ops_) {
    for (const ValueId id : op.outputs) may_be_unread[id] = op.phase == Phase::backward;
  }
  for (const ValueId id : program_.values_of(ValueKind::activation)) {
    if (!may_be_unread[id] && !is_read(program_, id)) {
      refuse_program("value " + program_.values_[id].name +
                     ": the value is not an output, and no op reads the value");
    }
  }
  for (const std::string& kind : program_.default_splits_) {
    if (std::ranges::none_of(program_.ops_, [&](const Op& op) { return splits_at(op, kind); })) {
      refuse_program("program " + program_.name_ + ": split point \"" + kind + "\" is not in the program");
    }
  }
  Program finished = std::move(program_);
  program_ = Program{};
  names_.clear();
  return finished;
}

}  // namespace graphbench::ir
