// Builds the new program, and tracks which values exist so far and which replacement each value has.
#include "graphs/ir/rewrite.hpp"

#include <algorithm>
#include <utility>

#include "graphs/base/error.hpp"

namespace graphbench::ir {
namespace {

std::string listed(const std::vector<std::string>& ops) {
  return std::to_string(ops.size()) + (ops.size() == 1 ? " op: " : " ops: ") + ops.front() +
         (ops.size() > 1 ? ", ..." : "");
}

}  // namespace

Rewriter::Rewriter(const Program& program, const OpCatalog& catalog, std::string pass)
    : program_(program), pass_(std::move(pass)), builder_(program, catalog), kept_(program.ops().size()) {
  for (ValueId id = 0; id < program.values().size(); ++id) {
    now_.push_back(id);
    computed_.push_back(!is_computed(program.value(id).kind));
  }
  std::size_t graph = 0;
  for (const Op& op : program.ops()) {
    graph += op.starts_graph ? 1 : 0;
    graph_of_.push_back(std::to_string(graph));
  }
}

void Rewriter::refuse(const std::string& why) const {
  throw Error(ErrorCode::invalid_argument, "pass " + pass_ + ": " + why);
}

ValueId Rewriter::now(ValueId id) const {
  if (id >= now_.size()) refuse(std::to_string(id) + " is not a value");
  while (now_[id] != id) id = now_[id];
  return id;
}

std::vector<ValueId> Rewriter::computed(const std::string& reader, const std::vector<ValueId>& ids) const {
  std::vector<ValueId> read;
  for (const ValueId id : ids) {
    read.push_back(now(id));
    if (!computed_[read.back()])
      refuse("op " + reader + " reads " + builder_.value_of(read.back()).name +
             ", which no earlier op computes");
  }
  return read;
}

void Rewriter::append(OpId like, const std::vector<ValueId>& outputs) {
  const Op& model = program_.ops()[like];
  Op& op = builder_.program_.ops_.back();
  op.phase = model.phase;
  op.splits_with = model.splits_with;
  op.eager = model.eager;
  op.starts_graph = false;
  graphs_[op.name] = graph_of_[like];
  while (now_.size() < builder_.program_.values_.size()) now_.push_back(static_cast<ValueId>(now_.size()));
  computed_.resize(now_.size());
  for (const ValueId id : outputs) computed_[id] = true;
}

void Rewriter::keep(OpId id) {
  if (id >= kept_.size()) refuse("the program has no op " + std::to_string(id));
  Op op = program_.ops()[id];
  if (kept_[id]) refuse("op " + op.name + " was already kept");
  op.inputs = computed(op.name, op.inputs);
  for (ValueId& changed : op.mutates) changed = now(changed);
  if (!builder_.names_.insert(op.name).second)
    refuse("op " + op.name + ": an added op already has this name");
  kept_[id] = true;
  builder_.program_.ops_.push_back(std::move(op));
  append(id, program_.ops()[id].outputs);
}

std::vector<ValueId> Rewriter::op(OpId beside, std::string kind, std::string name,
                                  std::vector<ValueId> inputs, Attributes attributes) {
  if (beside >= kept_.size()) refuse("the program has no op " + std::to_string(beside));
  inputs = computed(name, inputs);
  added_.push_back(name + " (" + kind + ")");
  std::vector<ValueId> outputs =
      builder_.op(std::move(kind), std::move(name), std::move(inputs), std::move(attributes));
  append(beside, outputs);
  return outputs;
}

void Rewriter::replace(ValueId value, ValueId by) {
  value = now(value);
  by = now(by);
  Value& old = builder_.program_.values_[value];
  const Value& fresh = builder_.value_of(by);
  if (value == by) refuse("value " + old.name + " cannot be replaced by itself");
  if (!is_computed(old.kind))
    refuse("value " + old.name + " is of kind " + std::string(name_of(old.kind)) + ", which no op computes");
  if (!computed_[by]) refuse("no earlier op computes value " + fresh.name);
  if (old.dtype != fresh.dtype || old.shape != fresh.shape)
    refuse("value " + fresh.name + " must have the dtype and shape of " + old.name + ", which is " +
           std::string(name_of(old.dtype)) + to_string(old.shape));
  if (const ValueKind kind = std::exchange(old.kind, ValueKind::activation); kind != ValueKind::activation)
    builder_.mark(by, kind);
  now_[value] = by;
}

void Rewriter::log(const std::string& line) {
  builder_.log("pass " + pass_ + ": " + line);
}

Program Rewriter::finish() {
  std::vector<std::string> removed;
  for (OpId id = 0; id < kept_.size(); ++id) {
    const Op& op = program_.ops()[id];
    if (!kept_[id]) removed.push_back(op.name + " (" + op.kind + ")");
  }
  if (!removed.empty()) log("removed " + listed(removed));
  if (!added_.empty()) log("added " + listed(added_));
  if (removed.empty() && added_.empty()) log("no op was changed");
  for (ValueId id = 0; id < computed_.size(); ++id) {
    const Value& value = builder_.value_of(id);
    if (!computed_[id] && value.kind != ValueKind::activation)
      refuse(std::string(name_of(value.kind)) + " " + value.name +
             " has lost the op that computes it: keep that op, or replace the value");
  }
  builder_.start_graphs([this](const Op& op) { return graphs_.at(op.name); });
  builder_.remove_dead_ops();
  return builder_.finish();
}

}  // namespace graphbench::ir
