// Makes a training program: appends the forward ops and the loss, then walks the ops backward.
#include "graphs/ir/training/differentiate.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "graphs/base/error.hpp"
#include "graphs/ir/training/draft.hpp"

namespace graphbench::ir {
namespace {

constexpr std::int64_t micro_batches_max = 1024;  // each micro-batch adds a copy of all ops

// Returns the choice that `words` gives for `key`, or the first choice if there is no such key.
template <typename T, std::size_t count>
T choice(const std::map<std::string, std::string>& words, const std::string& key,
         const std::pair<std::string_view, T> (&choices)[count]) {
  const auto given = words.find(key);
  if (given == words.end()) return choices[0].second;
  std::string known;
  for (const auto& [name, value] : choices) {
    if (name == given->second) return value;
    known.append(known.empty() ? "" : ", ").append(name);
  }
  throw Error(ErrorCode::invalid_argument,
              key + " \"" + given->second + "\" is unknown: give one of " + known);
}

class Differentiation {
 public:
  Differentiation(const Program& forward, const OpCatalog& catalog, const TrainingOptions& options)
      : forward_(forward), options_(options), draft_(forward, catalog, options.accumulate) {}

  Program run() {
    check();
    builder().split_batches(options_.micro_batches);
    for (std::int64_t i = 0; i < options_.micro_batches; ++i) {
      draft_.begin_micro_batch(i);
      for (const Op& op : forward_.ops()) append_forward(op);
      append_loss();
      const std::vector<Op>& ops = forward_.ops();
      const bool updates = updates_at_once() && i + 1 == options_.micro_batches;
      if (updates) begin_optimizer();
      for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
        append_backward(*op);
        if (updates) update_parameters_that_end_at(*op);
      }
    }
    if (!updates_at_once()) {
      gather_gradients();
      append_optimizer();
    }
    builder().split_at(forward_.default_splits());
    builder().remove_dead_ops();
    if (options_.checkpoint == Checkpoint::layer) builder().recompute_layers();
    start_graphs();
    return builder().finish();
  }

 private:
  struct Trained {
    ValueId parameter = 0;
    ValueId gradient = 0;
    const Value* value = nullptr;  // the weight in the forward program
  };

  ProgramBuilder& builder() { return draft_.builder(); }

  ValueId output() const { return forward_.values_of(ValueKind::output).front(); }

  void check() const {
    if (forward_.values_of(ValueKind::output).empty()) draft_.refuse("the program has no output to train");
    const Value& y = forward_.value(output());
    if (y.dtype == DType::i32)
      draft_.refuse("output " + y.name + " has integer values, which have no gradient");
    if (!draft_.wants_gradient(output())) draft_.refuse("output " + y.name + " depends on no weight");
  }

  void append_forward(const Op& op) {
    const Rule* rule = find_rule(op.kind);
    const bool lowered = rule != nullptr && rule->forward != nullptr;
    lowered ? rule->forward(draft_, op) : draft_.copy(op);
  }

  void append_loss() {
    const Value& y = forward_.value(output());
    const bool classes = options_.loss == Loss::cross_entropy;
    if (classes && (y.shape.size() != 2 || y.shape[1].per_batch != 0))
      draft_.refuse("cross_entropy needs an output [rows, classes], but " + y.name + " is " +
                    to_string(y.shape));
    const Init random{Init::Kind::uniform, classes ? 0.0 : -1.0,
                      classes ? static_cast<double>(y.shape[1].fixed) : 1.0};
    const ValueId target =
        builder().value(ValueKind::input, draft_.named("loss.target"), classes ? DType::i32 : y.dtype,
                        classes ? Shape{y.shape[0]} : y.shape, random);
    Attributes attributes;
    if (options_.micro_batches > 1) attributes["scale"] = 1.0 / static_cast<double>(options_.micro_batches);
    const std::vector<ValueId> loss =
        builder().op(classes ? "cross_entropy_loss" : "mse_loss", draft_.named("loss"),
                     {draft_.at(output()), target}, attributes);
    builder().mark_output(loss[0]);
    draft_.add_gradient(output(), loss[1]);
  }

  void append_backward(const Op& op) {
    draft_.begin_backward(op.kind);
    if (op.traits.marker) {
      builder().op(op.kind, draft_.named(op.name + ".backward"), {}, {});
      return;
    }
    if (std::ranges::none_of(op.inputs, [this](ValueId id) { return draft_.wants_gradient(id); })) return;
    std::optional<ValueId> gradient;
    for (const ValueId id : op.outputs) {
      if (const auto found = draft_.gradient(id)) gradient = found;
    }
    const Rule* rule = find_rule(op.kind);
    if (rule != nullptr) {
      if (gradient) rule->backward(draft_, op, *gradient);
      return;
    }
    if (!op.mutates.empty())
      draft_.refuse("op " + op.name + " (" + op.kind + ") writes " + forward_.value(op.mutates[0]).name +
                    ", and no gradient passes through " +
                    std::string(name_of(forward_.value(op.mutates[0]).kind)));
    if (!gradient) return;
    if (op.definition->gradient.empty())
      draft_.refuse("op " + op.name + ": kind " + op.kind + " has no gradient");
    backward_by_kind(draft_, op);
  }

  void gather_gradients() {
    for (const ValueId id : forward_.values_of(ValueKind::weight)) {
      if (!draft_.wants_gradient(id)) continue;
      const std::optional<ValueId> gradient = draft_.complete(id);
      const Value& value = forward_.value(id);
      if (!gradient) {
        builder().log("parameter " + value.name +
                      " is not trained: the loss does not depend on this parameter");
        continue;
      }
      const auto same = [&](const Trained& each) { return each.gradient == *gradient; };
      if (std::ranges::none_of(trained_, same)) builder().mark_gradient(*gradient);
      trained_.push_back({draft_.at(id), *gradient, &value});
    }
  }

  ValueId scalar(const char* name, DType dtype, double value) {
    return builder().value(ValueKind::state, name, dtype, {fixed_dim(1)},
                           {Init::Kind::constant, value, value});
  }

  bool updates_at_once() const {
    return options_.optimizer_in == OptimizerIn::backward && options_.optimizer != Optimizer::none;
  }

  void begin_optimizer() {
    builder().begin_phase(Phase::optimizer);
    if (options_.optimizer == Optimizer::adamw) {
      ahead_.push_back(scalar("optimizer.count", DType::i32, 0));
      builder().op("advance", "optimizer.advance", ahead_, {});
    }
    ahead_.push_back(scalar("optimizer.rate", DType::fp32, options_.learning_rate));
  }

  void append_step(const std::string& name, const std::vector<Trained>& trained) {
    const bool adamw = options_.optimizer == Optimizer::adamw;
    const std::vector<const char*> states =
        adamw ? std::vector{".first_moment", ".second_moment"} : std::vector{".velocity"};
    std::vector<ValueId> inputs = ahead_;
    for (const Trained& each : trained) {
      inputs.push_back(each.parameter);
      inputs.push_back(each.gradient);
      for (const char* state : states) {
        inputs.push_back(builder().value(ValueKind::state, each.value->name + state, each.value->dtype,
                                         each.value->shape, {Init::Kind::constant, 0, 0}));
      }
    }
    builder().begin_phase(Phase::optimizer);
    builder().op(adamw ? "adamw" : "sgd", name, std::move(inputs), {});
  }

  void append_optimizer() {
    if (options_.optimizer == Optimizer::none) return;
    begin_optimizer();
    append_step("optimizer.step", trained_);
  }

  // Updates the parameters whose first reader is `op`, because the walk adds nothing more to their gradients.
  void update_parameters_that_end_at(const Op& op) {
    const auto reads = [](const Op& each, ValueId id) { return std::ranges::count(each.inputs, id) > 0; };
    for (const ValueId id : forward_.values_of(ValueKind::weight)) {
      const auto first =
          std::ranges::find_if(forward_.ops(), [&](const Op& each) { return reads(each, id); });
      if (first == forward_.ops().end() || &*first != &op) continue;
      const Value& value = forward_.value(id);
      if (const auto gradient = draft_.complete(id))
        append_step(value.name + ".step", {{draft_.at(id), *gradient, &value}});
    }
  }

  void start_graphs() {
    if (options_.optimizer_in == OptimizerIn::eager) builder().launch_eagerly(Phase::optimizer);
    if (options_.backward == Backward::iteration) return;
    const bool layers = options_.backward == Backward::callables;
    builder().start_graphs([layers](const Op& op) -> std::string {
      if (op.phase == Phase::accumulate) return "";
      const std::string part = op.phase == Phase::forward ? "forward" : "backward";
      return layers ? part + " " + layer_of(op.name) : part;
    });
  }

  const Program& forward_;
  const TrainingOptions& options_;
  Draft draft_;
  std::vector<Trained> trained_;
  std::vector<ValueId> ahead_;  // optimizer inputs that all parameters share
};

}  // namespace

TrainingOptions training_options(const std::map<std::string, std::string>& words) {
  TrainingOptions options;
  options.loss = choice<Loss>(words, "loss", {{"mse", Loss::mse}, {"cross_entropy", Loss::cross_entropy}});
  options.optimizer = choice<Optimizer>(
      words, "optimizer", {{"none", Optimizer::none}, {"sgd", Optimizer::sgd}, {"adamw", Optimizer::adamw}});
  options.accumulate =
      choice<Accumulate>(words, "accumulate", {{"asap", Accumulate::asap}, {"end", Accumulate::end}});
  options.backward = choice<Backward>(
      words, "backward",
      {{"iteration", Backward::iteration}, {"apart", Backward::apart}, {"callables", Backward::callables}});
  options.optimizer_in = choice<OptimizerIn>(
      words, "optimizer-in",
      {{"graph", OptimizerIn::graph}, {"eager", OptimizerIn::eager}, {"backward", OptimizerIn::backward}});
  options.checkpoint =
      choice<Checkpoint>(words, "checkpoint", {{"none", Checkpoint::none}, {"layer", Checkpoint::layer}});
  const auto number = [&](const char* key, std::int64_t fallback) {
    const auto given = words.find(key);
    return given == words.end() ? fallback : std::stoll(given->second);
  };
  options.micro_batches = number("micro-batches", options.micro_batches);
  if (options.micro_batches > micro_batches_max)
    throw Error(ErrorCode::invalid_argument, "micro-batches \"" + std::to_string(options.micro_batches) +
                                                 "\" is too large: give at most " +
                                                 std::to_string(micro_batches_max));
  return options;
}

Program differentiate(const Program& forward, const OpCatalog& catalog, const TrainingOptions& options) {
  return Differentiation(forward, catalog, options).run();
}

}  // namespace graphbench::ir
