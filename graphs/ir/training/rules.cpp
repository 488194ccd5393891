// The rules of reverse-mode differentiation, one per kind of op.
#include <algorithm>
#include <array>

#include "graphs/base/error.hpp"
#include "graphs/ir/kind_row.hpp"
#include "graphs/ir/training/draft.hpp"

namespace graphbench::ir {
namespace {

// Copies the op. Makes the activation a separate op if the activation's gradient needs the activation's input
// (gelu), or if a residual is added to the activation's output.
void linear_forward(Draft& draft, const Op& op) {
  const std::string& activation = text_attribute(op, "activation");
  const bool residual = flag(op, "residual");
  const bool gelu = activation == "gelu_tanh";
  if (!gelu && !(residual && activation != "none")) return draft.copy(op);
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

void rope_backward(Draft& draft, const Op& op, ValueId) {
  std::vector<ValueId> gradients;
  for (const ValueId id : op.outputs) {
    const std::optional<ValueId> gradient = draft.gradient(id);
    if (!gradient)
      draft.refuse("op " + op.name + " (rope): the loss does not depend on " + draft.forward_value(id).name +
                   ", but the op's gradient needs the gradients of all outputs");
    gradients.push_back(*gradient);
  }
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

}  // namespace

const Rule* find_rule(std::string_view kind) {
  const auto found = std::ranges::find(rules, kind, &Rule::kind);
  return found == rules.end() ? nullptr : &*found;
}

void backward_by_kind(Draft& draft, const Op& op) {
  const OpDefinition& kind = *op.definition;
  std::vector<ValueId> inputs = draft.at(op.inputs);
  for (const ValueId id : op.outputs) inputs.push_back(draft.at(id));
  for (const ValueId id : op.outputs) {
    if (draft.forward_value(id).dtype == DType::i32) continue;
    const std::optional<ValueId> gradient = draft.gradient(id);
    if (!gradient)
      draft.refuse("op " + op.name + " (" + op.kind + "): the loss does not depend on " +
                   draft.forward_value(id).name +
                   ", but the op's gradient needs the gradients of all outputs");
    inputs.push_back(*gradient);
  }
  const auto supplied = [&](std::size_t i) {
    return std::ranges::count(kind.gradient_inputs, static_cast<std::uint32_t>(i)) > 0;
  };
  const std::string gradient_name = op.name + ".grad_inputs";
  const std::vector<ValueId> gradients =
      draft.builder().op(kind.gradient, draft.named(gradient_name), std::move(inputs), op.attributes);
  std::size_t next = 0;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const Value& input = draft.forward_value(op.inputs[i]);
    if (!supplied(i)) {
      if (!draft.wants_gradient(op.inputs[i])) continue;
      draft.refuse("op " + op.name + " (" + op.kind + "): the gradient op " + kind.gradient +
                   " gives no gradient of input " + input.name + ", which a parameter needs");
    }
    const Value* given = next < gradients.size() ? &draft.builder().value_of(gradients[next]) : nullptr;
    if (given == nullptr || given->dtype != input.dtype || given->shape != input.shape)
      throw Error(ErrorCode::plugin_failed,
                  gradient_name + " (" + kind.gradient + "): output " + std::to_string(next) +
                      " must have the dtype and shape of input " + input.name + " of " + op.kind);
    draft.add_gradient(op.inputs[i], gradients[next++]);
  }
}

}  // namespace graphbench::ir
