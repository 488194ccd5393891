// rope_kv_append, rope and its gradient: their definitions and cases.
#include <cmath>

#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

// Rotates one head's vector by its position. Elements i and i + dim / 2 are a pair.
void rotate(const double* from, double position, double theta, double* to, Index dim) {
  for (Index i = 0; i < dim / 2; ++i) {
    const double angle = position * std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(dim));
    to[i] = from[i] * std::cos(angle) - from[i + dim / 2] * std::sin(angle);
    to[i + dim / 2] = from[i + dim / 2] * std::cos(angle) + from[i] * std::sin(angle);
  }
}

std::vector<Tensor> rope_kv_append(const ir::OpCall& call, std::vector<Tensor>& in) {
  const ir::TensorDesc& q = call.output(0);
  const Index heads = extent(q, 1), tokens = extent(q, 2), dim = extent(q, 3),
              slots = extent(call.input(2), 2);
  const double theta = given<double>(call, "theta", 10000);
  if (given<std::int64_t>(call, "apart", 0) == 1) {  // joins q, k and v, which are inputs 0, 4 and 5
    const Index width = heads * dim;
    Tensor joined;
    for (Index row = 0; row < extent(call.input(0), 0); ++row)
      for (const Index part : {Index{0}, Index{4}, Index{5}})
        joined.insert(joined.end(), &in[part][row * width], &in[part][row * width] + width);
    in[0].swap(joined);
    ir::OpCall of_joined = call;
    ir::Op op = *call.op;
    op.attributes.erase("apart");
    of_joined.op = &op;
    const std::vector<Tensor> out = rope_kv_append(of_joined, in);
    in[0].swap(joined);
    return out;
  }
  Tensor out(static_cast<Index>(q.elements()));
  for (Index row = 0; row < extent(call.input(0), 0); ++row) {
    const Index b = row / tokens, t = row % tokens;
    const bool is_padding = in[1][b] < 0;
    const Index slot = is_padding ? 0 : static_cast<Index>(in[1][b]) + t;
    for (Index h = 0; h < heads; ++h) {
      const double* from = &in[0][row * 3 * heads * dim + h * dim];
      const Index kept = ((b * heads + h) * slots + slot) * dim;
      rotate(from, static_cast<double>(slot), theta, &out[((b * heads + h) * tokens + t) * dim], dim);
      if (is_padding) continue;
      rotate(from + heads * dim, static_cast<double>(slot), theta, &in[2][kept], dim);
      for (Index d = 0; d < dim; ++d) in[3][kept + d] = from[2 * heads * dim + d];
    }
  }
  return {out};
}

// Rotates heads from position 0 on; if `back`, from `heads` to `qkv`. `turn`: 1, or -1 for the gradient. `q`
// is of [B, H, T, D].
void turn_heads(const ir::OpCall& call, const ir::TensorDesc& q, double turn, Tensor& qkv, Tensor (&heads)[3],
                bool back) {
  const Index count = extent(q, 1), tokens = extent(q, 2), dim = extent(q, 3);
  const double theta = given<double>(call, "theta", 10000);
  for (Index row = 0; row < extent(q, 0) * tokens; ++row) {
    for (Index h = 0; h < count; ++h) {
      for (Index part = 0; part < 3; ++part) {
        double* flat = &qkv[((row * 3 + part) * count + h) * dim];
        double* split = &heads[part][((row / tokens * count + h) * tokens + row % tokens) * dim];
        const double position = part == 2 ? 0 : turn * static_cast<double>(row % tokens);
        back ? rotate(split, position, theta, flat, dim) : rotate(flat, position, theta, split, dim);
      }
    }
  }
}

std::vector<Tensor> rope(const ir::OpCall& call, std::vector<Tensor>& in) {
  const Tensor empty(in[0].size() / 3);
  Tensor heads[3] = {empty, empty, empty};
  turn_heads(call, call.output(0), 1, in[0], heads, false);
  return {heads[0], heads[1], heads[2]};
}

std::vector<Tensor> rope_grad(const ir::OpCall& call, std::vector<Tensor>& in) {
  Tensor heads[3] = {in[0], in[1], in[2]};
  Tensor qkv(3 * in[0].size());
  turn_heads(call, call.input(0), -1, qkv, heads, true);
  return {qkv};
}

OpCase rope_case(std::string name, std::int64_t tokens, ir::Init position, bool apart = false) {
  const ir::Shape cache{of_batch(), fixed_dim(2), fixed_dim(20), fixed_dim(8)};
  const OpCase::Input rows{{of_batch(tokens), fixed_dim(apart ? 16 : 48)}, uniform(1)};
  OpCase made{std::move(name),
              {rows,
               {{of_batch()}, position, ir::ValueKind::input, true},
               {cache, uniform(1), ir::ValueKind::state},
               {cache, uniform(1), ir::ValueKind::state}},
              {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{8}}},
              3};
  if (apart) {
    made.inputs.insert(made.inputs.end(), 2, rows);
    made.attributes["apart"] = one;
  }
  return made;
}

const OpCase::Input heads{{of_batch(), fixed_dim(2), fixed_dim(5), fixed_dim(8)}, uniform(1)};

const OpRegistration registrations[] = {
    {"rope_kv_append",
     rope_kv_append,
     {rope_case("rope_one_token", 1, constant(13)), rope_case("rope_tokens", 4, constant(16)),
      rope_case("rope_apart", 4, constant(16), true),
      rope_case("rope_positions", 4, {ir::Init::Kind::uniform, 0, 17}),
      rope_case("rope_padding", 1, constant(-1)), rope_case("rope_padding_tokens", 4, constant(-1))}},
    {"rope",
     rope,
     {{"rope",
       {{{of_batch(5), fixed_dim(48)}, uniform(1)}},
       {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{8}}, {"theta", 100.0}}}}},
    {"rope_grad", rope_grad, {{"rope_grad", {heads, heads, heads}, {}}}}};

}  // namespace
}  // namespace graphbench::conformance
