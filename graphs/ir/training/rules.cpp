// The rules of reverse-mode differentiation, one per kind of op.
#include <algorithm>
#include <array>

#include "graphs/base/error.hpp"
#include "graphs/ir/kind_row.hpp"
#include "graphs/ir/training/draft.hpp"

namespace graphbench::ir {
namespace {

// Copies the op if its gradient needs no value inside of it. Else makes the activation a separate op, because
// its gradient needs its input (gelu), or its output, to which a residual is added.
void linear_forward(Draft& draft, const Op& op) {
  const std::string& activation = text_attribute(op, "activation");
  const bool residual = flag(op, "residual");
  const bool gelu = activation == "gelu_tanh";
  if (activation == "none" || (!gelu && !residual)) return draft.copy(op);
  Attributes attributes = op.attributes;
  attributes["residual"] = std::int64_t{0};
  if (gelu) attributes["activation"] = std::string("none");
  std::vector<ValueId> inputs = draft.at(op.inputs);
  if (residual) inputs.pop_back();
  ValueId y = draft.append("linear", op.name + ".linear", inputs, attributes);
  draft.save(op, y);
  if (gelu) y = draft.append("gelu_tanh", residual ? op.name + ".activation" : op.name, {y});
  if (residual) y = draft.append("add", op.name, {y, draft.at(op.inputs.back())});
  draft.set(op.outputs[0], y);
}

// Returns the gradient of the activation's input.
ValueId before_activation(Draft& draft, const Op& op, ValueId gradient) {
  const std::string& activation = text_attribute(op, "activation");
  if (activation == "none") return gradient;
  const ValueId other = draft.saved(op).value_or(draft.at(op.outputs[0]));
  return draft.append(activation + "_grad", op.name + ".grad_activation", {gradient, other});
}

void linear_backward(Draft& draft, const Op& op, ValueId gradient) {
  if (flag(op, "residual")) draft.add_gradient(op.inputs.back(), gradient);
  const ValueId dz = before_activation(draft, op, gradient);
  if (flag(op, "bias")) draft.add_gradient(op.inputs[2], op, "column_sum", "grad_bias", {dz});
  draft.add_gradient(op.inputs[1], op, "linear_grad_weight", "grad_weight", {dz, draft.at(op.inputs[0])});
  draft.add_gradient(op.inputs[0], op, "linear_grad_input", "grad_input", {dz, draft.at(op.inputs[1])});
}

void conv2d_backward(Draft& draft, const Op& op, ValueId gradient) {
  const ValueId dz = before_activation(draft, op, gradient);
  if (flag(op, "residual")) draft.add_gradient(op.inputs.back(), dz);
  if (flag(op, "bias")) draft.add_gradient(op.inputs[2], op, "column_sum", "grad_bias", {dz});
  const Shape& image = draft.forward_value(op.inputs[0]).shape;
  const Shape& filter = draft.forward_value(op.inputs[1]).shape;
  Attributes of_weight = {{"padding", integer_attribute(op, "padding")},
                          {"stride", integer_attribute(op, "stride")}};
  Attributes of_input = of_weight;
  of_weight["window"] = filter[1].fixed;
  of_input["height"] = image[1].fixed;
  of_input["width"] = image[2].fixed;
  draft.add_gradient(op.inputs[1], op, "conv2d_grad_weight", "grad_weight", {dz, draft.at(op.inputs[0])},
                     of_weight);
  draft.add_gradient(op.inputs[0], op, "conv2d_grad_input", "grad_input", {dz, draft.at(op.inputs[1])},
                     of_input);
}

void rmsnorm_backward(Draft& draft, const Op& op, ValueId gradient) {
  const ValueId x = draft.at(op.inputs[0]);
  const Attributes attributes = {{"eps", real_attribute(op, "eps")}};
  draft.add_gradient(op.inputs[1], op, "rmsnorm_grad_weight", "grad_weight", {gradient, x}, attributes);
  draft.add_gradient(op.inputs[0], op, "rmsnorm_grad_input", "grad_input",
                     {gradient, x, draft.at(op.inputs[1])}, attributes);
}

void add_backward(Draft& draft, const Op& op, ValueId gradient) {
  for (const ValueId id : op.inputs) draft.add_gradient(id, gradient);
}

void bias_add_backward(Draft& draft, const Op& op, ValueId gradient) {
  draft.add_gradient(op.inputs[1], op, "column_sum", "grad_bias", {gradient});
  draft.add_gradient(op.inputs[0], gradient);
}

// Whether the gradient of a one-input op reads the op's output or its input.
enum class Takes { output, input };
template <Takes takes>
void unary_backward(Draft& draft, const Op& op, ValueId gradient) {
  const ValueId other = draft.at((takes == Takes::output ? op.outputs : op.inputs)[0]);
  draft.add_gradient(op.inputs[0],
                     draft.append(op.kind + "_grad", op.name + ".grad_input", {gradient, other}));
}

void sdpa_backward(Draft& draft, const Op& op, ValueId gradient) {
  const std::vector<ValueId> q = draft.at(op.inputs);
  std::vector<ValueId> inputs{gradient, q[0], q[1], q[2], draft.at(op.outputs[0])};
  const std::vector<ValueId> gradients =
      draft.builder().op("sdpa_grad", draft.named(op.name + ".grad_inputs"), std::move(inputs),
                         {{"causal", integer_attribute(op, "causal")}});
  for (std::size_t i = 0; i < gradients.size(); ++i) draft.add_gradient(op.inputs[i], gradients[i]);
}

std::string title_of(const Op& op) {
  return "op " + op.name + " (" + op.kind + ")";
}

// Appends the gradients of all outputs but integers to `inputs`. Refuses an op if the loss does not depend on
// all of these.
void append_gradients(Draft& draft, const Op& op, std::vector<ValueId>& inputs) {
  for (const ValueId id : op.outputs) {
    const Value& output = draft.forward_value(id);
    if (output.dtype == DType::i32) continue;
    const std::optional<ValueId> gradient = draft.gradient(id);
    if (!gradient)
      draft.refuse(title_of(op) + ": the loss does not depend on " + output.name +
                   ", but the op's gradient needs the gradients of all outputs");
    inputs.push_back(*gradient);
  }
}

void rope_backward(Draft& draft, const Op& op, ValueId) {
  std::vector<ValueId> gradients;
  append_gradients(draft, op, gradients);
  draft.add_gradient(op.inputs[0], draft.append("rope_grad", op.name + ".grad_input", std::move(gradients),
                                                {{"theta", real_attribute(op, "theta")}}));
}

constexpr std::array<Rule, 10> rules{{
    {"linear", linear_forward, linear_backward},
    {"conv2d", nullptr, conv2d_backward},
    {"rmsnorm", nullptr, rmsnorm_backward},
    {"add", nullptr, add_backward},
    {"bias_add", nullptr, bias_add_backward},
    {"relu", nullptr, unary_backward<Takes::output>},
    {"gelu_tanh", nullptr, unary_backward<Takes::input>},
    {"softmax", nullptr, unary_backward<Takes::output>},
    {"rope", nullptr, rope_backward},
    {"sdpa", nullptr, sdpa_backward},
}};

// Returns the inputs whose gradients the op's gradient op gives, one per output. Refuses an op that leaves
// out one which a parameter needs.
std::vector<ValueId> inputs_given(const Draft& draft, const Op& op) {
  std::vector<ValueId> given;
  for (std::uint32_t i = 0; i < op.inputs.size(); ++i) {
    const ValueId id = op.inputs[i];
    if (std::ranges::count(op.definition->gradient_inputs, i) > 0) {
      given.push_back(id);
    } else if (draft.wants_gradient(id)) {
      draft.refuse(title_of(op) + ": the gradient op " + op.definition->gradient +
                   " gives no gradient of input " + draft.forward_value(id).name +
                   ", which a parameter needs");
    }
  }
  return given;
}

}  // namespace

const Rule* find_rule(std::string_view kind) {
  const auto found = std::ranges::find(rules, kind, &Rule::kind);
  return found == rules.end() ? nullptr : &*found;
}

void backward_by_kind(Draft& draft, const Op& op) {
  const std::vector<ValueId> given = inputs_given(draft, op);
  std::vector<ValueId> inputs = draft.at(op.inputs);
  for (const ValueId id : op.outputs) inputs.push_back(draft.at(id));
  append_gradients(draft, op, inputs);
  const std::string name = op.name + ".grad_inputs";
  const std::vector<ValueId> gradients =
      draft.builder().op(op.definition->gradient, draft.named(name), std::move(inputs), op.attributes);
  // A plugin infers the outputs of its gradient op, so they may be missing or others.
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Value& input = draft.forward_value(given[i]);
    const Value* made = i < gradients.size() ? &draft.builder().value_of(gradients[i]) : nullptr;
    if (made == nullptr || made->dtype != input.dtype || made->shape != input.shape)
      throw Error(ErrorCode::plugin_failed,
                  name + " (" + op.definition->gradient + "): output " + std::to_string(i) +
                      " must have the dtype and shape of input " + input.name + " of " + op.kind);
    draft.add_gradient(given[i], gradients[i]);
  }
}

}  // namespace graphbench::ir
