// Shape inference of the built-in kinds. Every refusal begins with the op's name and says what the
// operand should have been.
#include "graphs/ir/infer.hpp"

#include <string>

#include "graphs/ir/error.hpp"

namespace graphbench::ir {
namespace {

using Inputs = std::vector<const Value*>;
using Outputs = std::vector<InferredOutput>;

[[noreturn]] void refuse(const Op& op, const std::string& why) {
  throw Error(ErrorCode::invalid_argument, op.name + " (" + op.kind + "): " + why);
}

void expect_count(const Op& op, const Inputs& inputs, std::size_t count) {
  if (inputs.size() != count) {
    refuse(op, "takes " + std::to_string(count) + " inputs, not " + std::to_string(inputs.size()));
  }
}

void expect_shape(const Op& op, const Value& value, const Shape& wanted) {
  if (value.shape != wanted) {
    refuse(op, "input " + value.name + " has shape " + to_string(value.shape) + ", not " + to_string(wanted));
  }
}

void expect_rank(const Op& op, const Value& value, std::size_t rank) {
  if (value.shape.size() != rank) {
    refuse(op, "input " + value.name + " has shape " + to_string(value.shape) + ", not one of rank " +
                   std::to_string(rank));
  }
}

// All of them floating, and all alike.
void expect_one_dtype(const Op& op, const Inputs& inputs) {
  for (const Value* value : inputs) {
    if (value->dtype == DType::i32 || value->dtype != inputs.front()->dtype) {
      refuse(op, "input " + value->name + " is " + std::string(name_of(value->dtype)) + ", where " +
                     inputs.front()->name + " is " + std::string(name_of(inputs.front()->dtype)) +
                     ": one floating dtype an op");
    }
  }
}

std::int64_t fixed_extent(const Op& op, const Value& value, std::size_t axis) {
  const Dim& dim = value.shape.at(axis);
  if (dim.per_batch != 0) {
    refuse(op, "extent " + std::to_string(axis) + " of " + value.name +
                   " must not depend on the batch, it is " + to_string(value.shape));
  }
  return dim.fixed;
}

bool flag(const Op& op, std::string_view name) {
  const std::int64_t value = integer_attribute(op, name, 0);
  if (value != 0 && value != 1) {
    refuse(op, "attribute " + std::string(name) + " is " + std::to_string(value) + ", not 0 or 1");
  }
  return value == 1;
}

void expect_activation(const Op& op, bool gelu_allowed) {
  const std::string activation = text_attribute(op, "activation", "none");
  if (activation == "none" || activation == "relu" || (gelu_allowed && activation == "gelu_tanh")) return;
  refuse(op, "attribute activation is \"" + activation + "\", not none, relu" +
                 (gelu_allowed ? " or gelu_tanh" : ""));
}

// Heads, head_dim and the like: present and positive.
std::int64_t positive(const Op& op, std::string_view name) {
  const std::int64_t value = integer_attribute(op, name);
  if (value <= 0)
    refuse(op, "attribute " + std::string(name) + " is " + std::to_string(value) + ", not positive");
  return value;
}

Outputs infer_rmsnorm(const Op& op, const Inputs& inputs) {
  expect_count(op, inputs, 2);
  expect_one_dtype(op, inputs);
  expect_rank(op, *inputs[0], 2);
  expect_shape(op, *inputs[1], {inputs[0]->shape[1]});
  if (!(real_attribute(op, "eps", 1e-5) > 0)) refuse(op, "attribute eps must be positive");
  return {{inputs[0]->dtype, inputs[0]->shape}};
}

Outputs infer_linear(const Op& op, const Inputs& inputs) {
  const bool bias = flag(op, "bias");
  const bool residual = flag(op, "residual");
  expect_activation(op, true);
  expect_count(op, inputs, 2u + (bias ? 1u : 0u) + (residual ? 1u : 0u));
  expect_one_dtype(op, inputs);
  expect_rank(op, *inputs[0], 2);
  expect_rank(op, *inputs[1], 2);
  const Dim columns = fixed_dim(fixed_extent(op, *inputs[1], 0));
  expect_shape(op, *inputs[1], {columns, inputs[0]->shape[1]});
  const Shape output{inputs[0]->shape[0], columns};
  if (bias) expect_shape(op, *inputs[2], {columns});
  if (residual) expect_shape(op, *inputs[bias ? 3 : 2], output);
  return {{inputs[0]->dtype, output}};
}

Outputs infer_rope_kv_append(const Op& op, const Inputs& inputs) {
  expect_count(op, inputs, 4);
  const Value& qkv = *inputs[0];
  const Value& positions = *inputs[1];
  expect_one_dtype(op, {inputs[0], inputs[2], inputs[3]});
  if (positions.dtype != DType::i32) refuse(op, "input " + positions.name + " must be i32");
  const std::int64_t heads = positive(op, "heads");
  const std::int64_t head_dim = positive(op, "head_dim");
  if (head_dim % 2 != 0)
    refuse(op, "attribute head_dim is " + std::to_string(head_dim) + ", it must be even");
  expect_shape(op, positions, {of_batch()});
  expect_rank(op, qkv, 2);
  const Dim rows = qkv.shape[0];
  if (rows.fixed != 0 || rows.per_batch < 1) {
    refuse(op, "rows of " + qkv.name + " are " + to_string(qkv.shape) + ", not a multiple of the batch");
  }
  expect_shape(op, qkv, {rows, fixed_dim(3 * heads * head_dim)});
  expect_rank(op, *inputs[2], 4);
  const std::int64_t slots = fixed_extent(op, *inputs[2], 2);
  if (slots < rows.per_batch) {
    refuse(op, "the cache has " + std::to_string(slots) + " slots for " + std::to_string(rows.per_batch) +
                   " tokens");
  }
  const Shape cache{of_batch(), fixed_dim(heads), fixed_dim(slots), fixed_dim(head_dim)};
  expect_shape(op, *inputs[2], cache);
  expect_shape(op, *inputs[3], cache);
  return {{qkv.dtype, {of_batch(), fixed_dim(heads), fixed_dim(rows.per_batch), fixed_dim(head_dim)}}};
}

Outputs infer_sdpa(const Op& op, const Inputs& inputs) {
  expect_count(op, inputs, 3);
  expect_one_dtype(op, inputs);
  const bool causal = flag(op, "causal");
  expect_rank(op, *inputs[0], 4);
  const std::int64_t heads = fixed_extent(op, *inputs[0], 1);
  const std::int64_t tokens = fixed_extent(op, *inputs[0], 2);
  const std::int64_t head_dim = fixed_extent(op, *inputs[0], 3);
  expect_shape(op, *inputs[0], {of_batch(), fixed_dim(heads), fixed_dim(tokens), fixed_dim(head_dim)});
  expect_rank(op, *inputs[1], 4);
  const std::int64_t slots = fixed_extent(op, *inputs[1], 2);
  if (causal && slots < tokens) {
    refuse(op, "causal, with " + std::to_string(tokens) + " tokens over " + std::to_string(slots) + " slots");
  }
  const Shape cache{of_batch(), fixed_dim(heads), fixed_dim(slots), fixed_dim(head_dim)};
  expect_shape(op, *inputs[1], cache);
  expect_shape(op, *inputs[2], cache);
  return {{inputs[0]->dtype, {of_batch(tokens), fixed_dim(heads * head_dim)}}};
}

Outputs infer_conv2d(const Op& op, const Inputs& inputs) {
  const bool bias = flag(op, "bias");
  const bool residual = flag(op, "residual");
  expect_activation(op, false);
  expect_count(op, inputs, 2u + (bias ? 1u : 0u) + (residual ? 1u : 0u));
  expect_one_dtype(op, inputs);
  expect_rank(op, *inputs[0], 4);
  expect_rank(op, *inputs[1], 4);
  const std::int64_t padding = integer_attribute(op, "padding", 0);
  const std::int64_t stride = integer_attribute(op, "stride", 1);
  if (padding < 0 || stride < 1) refuse(op, "padding must not be negative and stride must be positive");
  const std::int64_t filters = fixed_extent(op, *inputs[1], 0);
  const std::int64_t window = fixed_extent(op, *inputs[1], 1);
  expect_shape(
      op, *inputs[1],
      {fixed_dim(filters), fixed_dim(window), fixed_dim(window), fixed_dim(fixed_extent(op, *inputs[0], 3))});
  Shape output{inputs[0]->shape[0], {}, {}, fixed_dim(filters)};
  for (std::size_t axis : {1u, 2u}) {
    const std::int64_t span = fixed_extent(op, *inputs[0], axis) + 2 * padding - window;
    if (span < 0) refuse(op, "the window of " + std::to_string(window) + " exceeds the padded image");
    output[axis] = fixed_dim(span / stride + 1);
  }
  if (bias) expect_shape(op, *inputs[2], {fixed_dim(filters)});
  if (residual) expect_shape(op, *inputs[bias ? 3 : 2], output);
  return {{inputs[0]->dtype, output}};
}

Outputs infer_add(const Op& op, const Inputs& inputs) {
  expect_count(op, inputs, 2);
  expect_one_dtype(op, inputs);
  expect_shape(op, *inputs[1], inputs[0]->shape);
  return {{inputs[0]->dtype, inputs[0]->shape}};
}

Outputs infer_elementwise(const Op& op, const Inputs& inputs) {
  expect_count(op, inputs, 1);
  expect_one_dtype(op, inputs);
  return {{inputs[0]->dtype, inputs[0]->shape}};
}

Outputs infer_softmax(const Op& op, const Inputs& inputs) {
  Outputs outputs = infer_elementwise(op, inputs);
  expect_rank(op, *inputs[0], 2);
  return outputs;
}

Outputs infer_marker(const Op& op, const Inputs& inputs) {
  expect_count(op, inputs, 0);
  return {};
}

}  // namespace

std::vector<OpDefinition> builtin_definitions() {
  const OpTraits plain;
  const OpTraits marker{.marker = true};
  return {
      {"rmsnorm", plain, infer_rmsnorm, {}, nullptr},
      {"linear", plain, infer_linear, {}, nullptr},
      {"rope_kv_append", plain, infer_rope_kv_append, {2, 3}, nullptr},
      {"sdpa", plain, infer_sdpa, {}, nullptr},
      {"conv2d", plain, infer_conv2d, {}, nullptr},
      {"add", plain, infer_add, {}, nullptr},
      {"relu", plain, infer_elementwise, {}, nullptr},
      {"gelu_tanh", plain, infer_elementwise, {}, nullptr},
      {"softmax", plain, infer_softmax, {}, nullptr},
      {"boundary", marker, infer_marker, {}, nullptr},
  };
}

}  // namespace graphbench::ir
