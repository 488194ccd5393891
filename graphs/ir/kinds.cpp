// The table of built-in kinds, and their shape inference. Errors name the op and the broken rule.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "graphs/base/error.hpp"
#include "graphs/ir/cond.hpp"
#include "graphs/ir/kind_row.hpp"

namespace graphbench::ir {
namespace {

Outputs infer_rmsnorm(const Op& op, const Inputs& inputs) {
  expect_rank(op, *inputs[0], 2);
  expect_shape(op, *inputs[1], {inputs[0]->shape[1]});
  return {{inputs[0]->dtype, inputs[0]->shape}};
}

void expect_bias_and_residual(const Op& op, const Inputs& inputs, const Dim& columns, const Shape& output) {
  const bool bias = flag(op, "bias");
  if (bias) expect_shape(op, *inputs[2], {columns});
  if (flag(op, "residual")) expect_shape(op, *inputs[bias ? 3 : 2], output);
}

Outputs infer_linear(const Op& op, const Inputs& inputs) {
  expect_rank(op, *inputs[0], 2);
  expect_rank(op, *inputs[1], 2);
  const Dim columns = fixed_dim(fixed_extent(op, *inputs[1], 0));
  expect_shape(op, *inputs[1], {columns, inputs[0]->shape[1]});
  const Shape output{inputs[0]->shape[0], columns};
  expect_bias_and_residual(op, inputs, columns, output);
  return {{inputs[0]->dtype, output}};
}

// The shape of each of q, k and v. A row of `qkv` is one token, and contains `parts` of these three.
Shape shape_of_heads(const Op& op, const Value& qkv, std::int64_t parts = 3) {
  const std::int64_t heads = integer_attribute(op, "heads");
  const std::int64_t head_dim = integer_attribute(op, "head_dim");
  if (head_dim % 2 != 0)
    refuse(op, "attribute head_dim is " + std::to_string(head_dim) + ", but must be even");
  expect_rank(op, qkv, 2);
  const Dim rows = qkv.shape[0];
  if (rows.fixed != 0 || rows.per_batch < 1) {
    refuse(op, "input " + qkv.name + " has shape " + to_string(qkv.shape) +
                   ", but its number of rows must be a multiple of the batch");
  }
  expect_shape(op, qkv, {rows, fixed_dim(parts * heads * head_dim)});
  return {of_batch(), fixed_dim(heads), fixed_dim(rows.per_batch), fixed_dim(head_dim)};
}

Outputs infer_rope(const Op& op, const Inputs& inputs) {
  return Outputs(3, {inputs[0]->dtype, shape_of_heads(op, *inputs[0])});
}

Outputs infer_rope_kv_append(const Op& op, const Inputs& inputs) {
  const bool apart = flag(op, "apart");
  Shape cache = shape_of_heads(op, *inputs[0], apart ? 1 : 3);
  for (std::size_t i = 4; i < inputs.size(); ++i) expect_shape(op, *inputs[i], inputs[0]->shape);
  const Outputs outputs{{inputs[0]->dtype, cache}};
  expect_shape(op, *inputs[1], {of_batch()});
  expect_rank(op, *inputs[2], 4);
  const std::int64_t slots = fixed_extent(op, *inputs[2], 2);
  const std::int64_t tokens = cache[2].fixed;
  if (slots < tokens) {
    refuse(op, "the cache has only " + std::to_string(slots) + " slots for " + std::to_string(tokens) +
                   " new tokens");
  }
  cache[2] = fixed_dim(slots);
  expect_shape(op, *inputs[2], cache);
  expect_shape(op, *inputs[3], cache);
  return outputs;
}

Outputs infer_conv2d(const Op& op, const Inputs& inputs) {
  expect_rank(op, *inputs[0], 4);
  expect_rank(op, *inputs[1], 4);
  const std::int64_t filters = fixed_extent(op, *inputs[1], 0);
  const std::int64_t window = fixed_extent(op, *inputs[1], 1);
  expect_shape(
      op, *inputs[1],
      {fixed_dim(filters), fixed_dim(window), fixed_dim(window), fixed_dim(fixed_extent(op, *inputs[0], 3))});
  Shape output{inputs[0]->shape[0], {}, {}, fixed_dim(filters)};
  for (std::size_t axis : {1u, 2u})
    output[axis] = fixed_dim(window_steps(op, fixed_extent(op, *inputs[0], axis), window));
  expect_bias_and_residual(op, inputs, fixed_dim(filters), output);
  return {{inputs[0]->dtype, output}};
}

void expect_slots_for(const Op& op, std::int64_t tokens, std::int64_t slots) {
  if (slots >= tokens) return;
  refuse(op, "causal attention has " + std::to_string(tokens) + " tokens, but only " + std::to_string(slots) +
                 " slots");
}

// Infers a[B,H,M,K] times b[B,H,K,N], or times the transpose of b[B,H,N,K].
Outputs infer_batched_matmul(const Op& op, const Inputs& inputs) {
  expect_rank(op, *inputs[0], 4);
  expect_rank(op, *inputs[1], 4);
  const std::int64_t heads = fixed_extent(op, *inputs[0], 1);
  const std::int64_t rows = fixed_extent(op, *inputs[0], 2);
  const std::int64_t depth = fixed_extent(op, *inputs[0], 3);
  const bool transposed = flag(op, "transpose_b");
  const std::int64_t columns = fixed_extent(op, *inputs[1], transposed ? 2 : 3);
  const auto matrices = [heads](std::int64_t height, std::int64_t width) {
    return Shape{of_batch(), fixed_dim(heads), fixed_dim(height), fixed_dim(width)};
  };
  expect_shape(op, *inputs[0], matrices(rows, depth));
  expect_shape(op, *inputs[1], transposed ? matrices(columns, depth) : matrices(depth, columns));
  if (flag(op, "merge_heads")) return {{inputs[0]->dtype, {of_batch(rows), fixed_dim(heads * columns)}}};
  return {{inputs[0]->dtype, matrices(rows, columns)}};
}

Outputs infer_bias_add(const Op& op, const Inputs& inputs) {
  expect_shape(op, *inputs[1], {inputs[0]->shape.back()});
  return {{inputs[0]->dtype, inputs[0]->shape}};
}

Outputs infer_softmax(const Op& op, const Inputs& inputs) {
  const Value& x = *inputs[0];
  const bool causal = flag(op, "causal");
  if (causal || x.shape.size() != 2) expect_rank(op, x, 4);
  if (causal) expect_slots_for(op, fixed_extent(op, x, 2), fixed_extent(op, x, 3));
  return {{x.dtype, x.shape}};
}

// The first input is the predicate. If it is 0, the output is a copy of the last input.
Outputs infer_cond(const Op& op, const Inputs& inputs) {
  expect_shape(op, *inputs[0], {fixed_dim(1)});
  const Op body = body_of(op);
  Outputs outputs = body.definition->infer(body, {inputs.begin() + 1, inputs.end()});
  if (outputs.size() != 1) refuse(op, "the body must have one output");
  expect_shape(op, *inputs.back(), outputs[0].shape);
  return outputs;
}

bool is_none_or_relu(const Attribute& given) {
  const auto& text = std::get<std::string>(given);
  return text == "none" || text == "relu";
}
bool is_activation(const Attribute& given) {
  return is_none_or_relu(given) || std::get<std::string>(given) == "gelu_tanh";
}

}  // namespace

Outputs infer_sdpa(const Op& op, const Inputs& inputs) {
  const bool causal = flag(op, "causal");
  expect_rank(op, *inputs[0], 4);
  const std::int64_t heads = fixed_extent(op, *inputs[0], 1);
  const std::int64_t tokens = fixed_extent(op, *inputs[0], 2);
  const std::int64_t head_dim = fixed_extent(op, *inputs[0], 3);
  expect_shape(op, *inputs[0], {of_batch(), fixed_dim(heads), fixed_dim(tokens), fixed_dim(head_dim)});
  expect_rank(op, *inputs[1], 4);
  const std::int64_t slots = fixed_extent(op, *inputs[1], 2);
  if (causal) expect_slots_for(op, tokens, slots);
  const Shape cache{of_batch(), fixed_dim(heads), fixed_dim(slots), fixed_dim(head_dim)};
  expect_shape(op, *inputs[1], cache);
  expect_shape(op, *inputs[2], cache);
  return {{inputs[0]->dtype, {of_batch(tokens), fixed_dim(heads * head_dim)}}};
}

const std::vector<KindRow>& kind_rows() {
  static const std::vector<KindRow> rows = [] {
    std::vector<KindRow> all = {
        {.kind = "rmsnorm",
         .inputs = 2,
         .attributes = {{"eps", 1e-5, "positive", is_positive_real}},
         .infer = infer_rmsnorm},
        {.kind = "linear",
         .inputs = 2,
         .flagged_inputs = {"bias", "residual"},
         .attributes = {flag_rule("bias"),
                        flag_rule("residual"),
                        {"activation", "none", "none, relu or gelu_tanh", is_activation}},
         .infer = infer_linear},
        {.kind = "rope",
         .inputs = 1,
         .attributes = {required_size("heads"), required_size("head_dim"), {"theta", 10000.0}},
         .infer = infer_rope},
        {.kind = "rope_kv_append",
         .inputs = 4,
         .flagged_inputs = {"apart", "apart"},  // apart=1 adds two inputs: k and v
         .integer_inputs = {1},
         .mutated_inputs = {2, 3},
         .attributes =
             {flag_rule("apart"), required_size("heads"), required_size("head_dim"), {"theta", 10000.0}},
         .infer = infer_rope_kv_append},
        {.kind = "sdpa", .inputs = 3, .attributes = {flag_rule("causal")}, .infer = infer_sdpa},
        {.kind = "conv2d",
         .inputs = 2,
         .flagged_inputs = {"bias", "residual"},
         .attributes = {flag_rule("bias"),
                        flag_rule("residual"),
                        padding_rule(),
                        stride_rule(),
                        {"activation", "none", "none or relu", is_none_or_relu}},
         .infer = infer_conv2d},
        {.kind = "add", .inputs = 2, .infer = infer_elementwise},
        {.kind = "bias_add", .inputs = 2, .infer = infer_bias_add},
        {.kind = "relu", .inputs = 1, .infer = infer_elementwise},
        {.kind = "gelu_tanh", .inputs = 1, .infer = infer_elementwise},
        {.kind = "softmax", .inputs = 1, .attributes = {flag_rule("causal")}, .infer = infer_softmax},
        {.kind = "batched_matmul",
         .inputs = 2,
         .attributes = {flag_rule("transpose_b"), flag_rule("merge_heads"), {"scale", 1.0}},
         .infer = infer_batched_matmul},
        {.kind = cond_kind,
         .inputs = 1,
         .integer_inputs = {0},
         .groups = {.size = 1},
         .attributes = {{"body", std::string()}},
         .infer = infer_cond},
        {.kind = "boundary", .infer = infer_nothing, .traits = {.marker = true}},
    };
    std::ranges::move(training_rows(), std::back_inserter(all));
    return all;
  }();
  return rows;
}

}  // namespace graphbench::ir
