// Tracks the values and gradient summands of a training program while it is built.
#include "graphs/ir/training/draft.hpp"

#include <algorithm>
#include <utility>

#include "graphs/base/error.hpp"

namespace graphbench::ir {

Draft::Draft(const Program& forward, const OpCatalog& catalog, Accumulate accumulate)
    : forward_(forward),
      accumulate_(accumulate),
      builder_(forward.name() + "/training", catalog),
      here_(forward.values().size()),
      wanted_(forward.values().size()),
      gradients_(forward.values().size()),
      sums_(forward.values().size()) {
  declare_values();
  for (const Op& op : forward.ops()) {
    if (std::ranges::none_of(op.inputs, [this](ValueId id) { return wanted_[id]; })) continue;
    for (const ValueId id : op.outputs) wanted_[id] = forward.value(id).dtype != DType::i32;
  }
}

void Draft::refuse(const std::string& why) const {
  throw Error(ErrorCode::no_backward, "differentiate program " + forward_.name() + ": " + why);
}

void Draft::declare_values() {
  for (ValueId id = 0; id < here_.size(); ++id) {
    const Value& value = forward_.value(id);
    if (value.kind == ValueKind::activation || value.kind == ValueKind::output) continue;
    wanted_[id] = value.kind == ValueKind::weight && value.dtype != DType::i32;
    const ValueKind kind = wanted_[id] ? ValueKind::parameter : value.kind;
    here_[id] = builder_.value(kind, value.name, value.dtype, value.shape, value.init);
    if (kind == ValueKind::input) builder_.pad_with(here_[id], value.pad);
  }
}

void Draft::begin_micro_batch(std::int64_t part) {
  if (part > 0) {
    for (ValueId id = 0; id < here_.size(); ++id) {
      if (has_hook(id, HookPlace::pre)) end_part(id);
    }
  }
  builder_.begin_phase(Phase::forward);
  if (part == 0) return;
  suffix_ = ".micro" + std::to_string(part);
  for (ValueId id = 0; id < here_.size(); ++id) {
    const Value& value = forward_.value(id);
    if (value.kind != ValueKind::weight) gradients_[id].clear();
    if (value.kind != ValueKind::input) continue;
    here_[id] = builder_.value(value.kind, named(value.name), value.dtype, value.shape, value.init);
    builder_.pad_with(here_[id], value.pad);
  }
}

void Draft::copy(const Op& op) {
  const std::vector<ValueId> outputs = builder_.op(op.kind, named(op.name), at(op.inputs), op.attributes);
  for (std::size_t i = 0; i < outputs.size(); ++i) here_[op.outputs[i]] = outputs[i];
}

ValueId Draft::append(const std::string& kind, const std::string& name, std::vector<ValueId> inputs,
                      Attributes attributes) {
  return builder_.op(kind, named(name), std::move(inputs), std::move(attributes)).front();
}

std::optional<ValueId> Draft::saved(const Op& op) const {
  const auto found = saved_.find(op.name);
  return found == saved_.end() ? std::nullopt : std::optional(found->second);
}

void Draft::begin_backward(const std::string& kind) {
  splits_with_ = kind;
  builder_.begin_phase(Phase::backward, kind);
}

ValueId Draft::sum(ValueId forward, ValueId a, ValueId b) {
  const std::string name = forward_.value(forward).name + ".sum" + std::to_string(sums_[forward]++);
  builder_.begin_phase(Phase::accumulate);
  const ValueId total = append("add", name, {a, b});
  builder_.begin_phase(Phase::backward, splits_with_);
  return total;
}

void Draft::add_gradient(ValueId forward, ValueId gradient) {
  if (!wanted_[forward]) return;
  std::vector<ValueId>& summands = gradients_[forward];
  summands.push_back(gradient);
  if (accumulate_ == Accumulate::asap) static_cast<void>(this->gradient(forward));
}

void Draft::add_gradient(ValueId forward, const Op& op, const std::string& kind, const std::string& what,
                         std::vector<ValueId> inputs, Attributes attributes) {
  if (!wanted_[forward]) return;
  std::vector<ValueId>& summands = gradients_[forward];
  if (accumulate_ == Accumulate::asap && !summands.empty()) {
    attributes["accumulate"] = std::int64_t{1};
    inputs.push_back(summands.front());
    summands.clear();
  }
  summands.push_back(append(kind, op.name + "." + what, std::move(inputs), std::move(attributes)));
}

std::optional<ValueId> Draft::gradient(ValueId forward) {
  std::vector<ValueId>& summands = gradients_[forward];
  if (summands.empty()) return std::nullopt;
  for (std::size_t i = 1; i < summands.size(); ++i)
    summands.front() = sum(forward, summands.front(), summands[i]);
  summands.resize(1);
  return summands.front();
}

bool Draft::has_hook(ValueId weight, HookPlace place) const {
  return std::ranges::any_of(forward_.hooks(), [&](const GradientHook& hook) {
    return hook.weight == weight && hook.place == place;
  });
}

ValueId Draft::hooked(ValueId weight, HookPlace place, ValueId gradient) {
  for (const GradientHook& hook : forward_.hooks()) {
    if (hook.weight != weight || hook.place != place) continue;
    const Value like = builder_.value_of(gradient);
    builder_.begin_phase(Phase::accumulate);
    const std::string name = place == HookPlace::pre ? named(hook.name) : hook.name;
    const std::vector<ValueId> outputs = builder_.op(hook.kind, name, {gradient}, hook.attributes);
    const Value* given = outputs.size() == 1 ? &builder_.value_of(outputs[0]) : nullptr;
    if (given == nullptr || given->dtype != like.dtype || given->shape != like.shape)
      throw Error(ErrorCode::invalid_argument,
                  "hook " + hook.name + " (" + hook.kind + ") of " + forward_.value(weight).name +
                      ": the hook must give one value with the gradient's shape, " +
                      std::string(name_of(like.dtype)) + to_string(like.shape));
    gradient = outputs[0];
  }
  return gradient;
}

void Draft::end_part(ValueId weight) {
  std::optional<ValueId> gradient = this->gradient(weight);
  if (!gradient) return;
  gradient = hooked(weight, HookPlace::pre, *gradient);
  gradients_[weight].clear();
  const auto [so_far, first] = parts_.try_emplace(weight, *gradient);
  if (!first) so_far->second = sum(weight, so_far->second, *gradient);
}

std::optional<ValueId> Draft::complete(ValueId weight) {
  std::optional<ValueId> gradient;
  if (has_hook(weight, HookPlace::pre)) {
    end_part(weight);
    if (const auto sum = parts_.find(weight); sum != parts_.end()) gradient = sum->second;
  } else {
    gradient = this->gradient(weight);
  }
  if (gradient) gradient = hooked(weight, HookPlace::post_accumulate, *gradient);
  return gradient;
}

}  // namespace graphbench::ir
