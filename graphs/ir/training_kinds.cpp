// Defines the kinds that training adds (gradients, losses, optimizers) and their shape inference.
#include <string>
#include <utility>

#include "graphs/ir/kind_row.hpp"

namespace graphbench::ir {
namespace {

// Infers the output of a gradient op. If `accumulate`=1, input number `ahead` is the sum to add to.
Outputs gradient(const Op& op, const Inputs& inputs, std::size_t ahead, const Shape& shape) {
  if (flag(op, "accumulate")) expect_shape(op, *inputs[ahead], shape);
  return {{inputs[0]->dtype, shape}};
}

Outputs infer_linear_grad_input(const Op& op, const Inputs& inputs) {
  expect_rank(op, *inputs[0], 2);
  expect_rank(op, *inputs[1], 2);
  const Dim inner = fixed_dim(fixed_extent(op, *inputs[1], 1));
  expect_shape(op, *inputs[1], {inputs[0]->shape[1], inner});
  return gradient(op, inputs, 2, {inputs[0]->shape[0], inner});
}

Outputs infer_linear_grad_weight(const Op& op, const Inputs& inputs) {
  expect_rank(op, *inputs[0], 2);
  expect_rank(op, *inputs[1], 2);
  const Dim inner = fixed_dim(fixed_extent(op, *inputs[1], 1));
  expect_shape(op, *inputs[1], {inputs[0]->shape[0], inner});
  return gradient(op, inputs, 2, {fixed_dim(fixed_extent(op, *inputs[0], 1)), inner});
}

Outputs infer_conv2d_grad_input(const Op& op, const Inputs& inputs) {
  expect_rank(op, *inputs[0], 4);
  expect_rank(op, *inputs[1], 4);
  const std::int64_t window = fixed_extent(op, *inputs[1], 1);
  const Dim channels = fixed_dim(fixed_extent(op, *inputs[1], 3));
  expect_shape(op, *inputs[1], {inputs[0]->shape[3], fixed_dim(window), fixed_dim(window), channels});
  const std::int64_t height = integer_attribute(op, "height");
  const std::int64_t width = integer_attribute(op, "width");
  expect_shape(op, *inputs[0],
               {inputs[0]->shape[0], fixed_dim(window_steps(op, height, window)),
                fixed_dim(window_steps(op, width, window)), inputs[0]->shape[3]});
  return gradient(op, inputs, 2, {inputs[0]->shape[0], fixed_dim(height), fixed_dim(width), channels});
}

Outputs infer_conv2d_grad_weight(const Op& op, const Inputs& inputs) {
  expect_rank(op, *inputs[0], 4);
  expect_rank(op, *inputs[1], 4);
  const std::int64_t window = integer_attribute(op, "window");
  const Dim filters = fixed_dim(fixed_extent(op, *inputs[0], 3));
  const Dim channels = fixed_dim(fixed_extent(op, *inputs[1], 3));
  expect_shape(op, *inputs[0],
               {inputs[1]->shape[0], fixed_dim(window_steps(op, fixed_extent(op, *inputs[1], 1), window)),
                fixed_dim(window_steps(op, fixed_extent(op, *inputs[1], 2), window)), filters});
  return gradient(op, inputs, 2, {filters, fixed_dim(window), fixed_dim(window), channels});
}

Outputs infer_column_sum(const Op& op, const Inputs& inputs) {
  const std::size_t rank = inputs[0]->shape.size();
  if (rank < 2)
    refuse(op,
           "input " + inputs[0]->name + " has shape " + to_string(inputs[0]->shape) + ", which has no rows");
  return gradient(op, inputs, 1, {fixed_dim(fixed_extent(op, *inputs[0], rank - 1))});
}

Outputs infer_rmsnorm_grad_input(const Op& op, const Inputs& inputs) {
  expect_rank(op, *inputs[0], 2);
  expect_shape(op, *inputs[1], inputs[0]->shape);
  expect_shape(op, *inputs[2], {inputs[0]->shape[1]});
  return gradient(op, inputs, 3, inputs[0]->shape);
}

Outputs infer_rmsnorm_grad_weight(const Op& op, const Inputs& inputs) {
  expect_rank(op, *inputs[0], 2);
  expect_shape(op, *inputs[1], inputs[0]->shape);
  return gradient(op, inputs, 2, {fixed_dim(fixed_extent(op, *inputs[0], 1))});
}

Outputs infer_rope_grad(const Op& op, const Inputs& inputs) {
  expect_rank(op, *inputs[0], 4);
  std::int64_t extents[3];  // heads, tokens, head_dim
  for (std::size_t i = 0; i < 3; ++i) extents[i] = fixed_extent(op, *inputs[0], i + 1);
  if (extents[2] % 2 != 0) refuse(op, "head_dim is " + std::to_string(extents[2]) + ", but must be even");
  const Shape heads{of_batch(), fixed_dim(extents[0]), fixed_dim(extents[1]), fixed_dim(extents[2])};
  for (const Value* value : inputs) expect_shape(op, *value, heads);
  return {{inputs[0]->dtype, {of_batch(extents[1]), fixed_dim(3 * extents[0] * extents[2])}}};
}

Outputs infer_sdpa_grad(const Op& op, const Inputs& inputs) {
  const Outputs forward = infer_sdpa(op, {inputs[1], inputs[2], inputs[3]});
  for (const std::size_t i : {0u, 4u}) expect_shape(op, *inputs[i], forward[0].shape);
  Outputs gradients;
  for (const std::size_t i : {1u, 2u, 3u}) gradients.push_back({inputs[i]->dtype, inputs[i]->shape});
  return gradients;
}

Outputs infer_softmax_grad(const Op& op, const Inputs& inputs) {
  expect_rank(op, *inputs[0], 2);
  return infer_elementwise(op, inputs);
}

Outputs infer_mse_loss(const Op& op, const Inputs& inputs) {
  expect_shape(op, *inputs[1], inputs[0]->shape);
  return {{DType::fp32, {fixed_dim(1)}}, {inputs[0]->dtype, inputs[0]->shape}};
}

Outputs infer_cross_entropy_loss(const Op& op, const Inputs& inputs) {
  expect_rank(op, *inputs[0], 2);
  expect_shape(op, *inputs[1], {inputs[0]->shape[0]});
  return {{DType::fp32, {fixed_dim(1)}}, {inputs[0]->dtype, inputs[0]->shape}};
}

Outputs infer_advance(const Op& op, const Inputs& inputs) {
  expect_shape(op, *inputs[0], {fixed_dim(1)});
  return {};
}

// Every value of a group has the shape of the group's first value, which is the parameter.
Outputs infer_optimizer(const Op& op, const Inputs& inputs) {
  const std::size_t size = op.definition->groups.size;
  const std::size_t ahead = op.definition->inputs_ahead;
  for (std::size_t i = 0; i < ahead; ++i) expect_shape(op, *inputs[i], {fixed_dim(1)});  // count, rate
  for (std::size_t i = ahead; i < inputs.size(); ++i)
    expect_shape(op, *inputs[i], inputs[i - (i - ahead) % size]->shape);
  return {};
}

bool is_fraction(const Attribute& given) {
  const auto value = std::get<double>(given);
  return value >= 0 && value < 1;
}
bool is_real_from_zero(const Attribute& given) {
  return std::get<double>(given) >= 0;
}

AttributeRule fraction_rule(const char* name, double fallback) {
  return {name, fallback, "at least 0 and below 1", is_fraction};
}
AttributeRule decay_rule(double fallback) {
  return {"weight_decay", fallback, "0 or more", is_real_from_zero};
}
AttributeRule epsilon_rule(double fallback) {
  return {"eps", fallback, "positive", is_positive_real};
}
AttributeRule scale_rule() {
  return {"scale", 1.0, "positive", is_positive_real};
}

KindRow summed_row(const char* kind, std::size_t inputs, Outputs (*infer)(const Op&, const Inputs&),
                   std::vector<AttributeRule> attributes = {}) {
  attributes.insert(attributes.begin(), flag_rule("accumulate"));
  return {.kind = kind,
          .inputs = inputs,
          .flagged_inputs = {"accumulate"},
          .attributes = std::move(attributes),
          .infer = infer};
}

}  // namespace

std::vector<KindRow> training_rows() {
  return {
      summed_row("linear_grad_input", 2, infer_linear_grad_input),
      summed_row("linear_grad_weight", 2, infer_linear_grad_weight),
      summed_row("conv2d_grad_input", 2, infer_conv2d_grad_input,
                 {padding_rule(), stride_rule(), required_size("height"), required_size("width")}),
      summed_row("conv2d_grad_weight", 2, infer_conv2d_grad_weight,
                 {padding_rule(), stride_rule(), required_size("window")}),
      summed_row("column_sum", 1, infer_column_sum),
      summed_row("rmsnorm_grad_input", 3, infer_rmsnorm_grad_input, {epsilon_rule(1e-5)}),
      summed_row("rmsnorm_grad_weight", 2, infer_rmsnorm_grad_weight, {epsilon_rule(1e-5)}),
      {.kind = "relu_grad", .inputs = 2, .infer = infer_elementwise},
      {.kind = "gelu_tanh_grad", .inputs = 2, .infer = infer_elementwise},
      {.kind = "softmax_grad", .inputs = 2, .infer = infer_softmax_grad},
      {.kind = "rope_grad", .inputs = 3, .attributes = {{"theta", 10000.0}}, .infer = infer_rope_grad},
      {.kind = "sdpa_grad", .inputs = 5, .attributes = {flag_rule("causal")}, .infer = infer_sdpa_grad},
      {.kind = "mse_loss", .inputs = 2, .attributes = {scale_rule()}, .infer = infer_mse_loss},
      {.kind = "cross_entropy_loss",
       .inputs = 2,
       .integer_inputs = {1},
       .attributes = {scale_rule()},
       .infer = infer_cross_entropy_loss},
      {.kind = "advance", .inputs = 1, .integer_inputs = {0}, .mutated_inputs = {0}, .infer = infer_advance},
      {.kind = "sgd",
       .inputs = 1,
       .scalar_inputs = {0},
       .groups = {.size = 3, .mutated = 0b101},
       .attributes = {fraction_rule("momentum", 0.9), decay_rule(0.0)},
       .infer = infer_optimizer},
      {.kind = "adamw",
       .inputs = 2,
       .integer_inputs = {0},
       .scalar_inputs = {1},
       .groups = {.size = 4, .mutated = 0b1101},
       .attributes = {fraction_rule("beta1", 0.9), fraction_rule("beta2", 0.999), epsilon_rule(1e-8),
                      decay_rule(0.01)},
       .infer = infer_optimizer},
  };
}

}  // namespace graphbench::ir
