// rope_kv_append: its definition and cases.
#include <cmath>

#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

// Half-split rotation of one head's vector by its position.
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

OpCase rope_case(std::string name, std::int64_t tokens, double position) {
  const ir::Shape cache{of_batch(), fixed_dim(2), fixed_dim(20), fixed_dim(8)};
  return {std::move(name),
          "rope_kv_append",
          {{{of_batch(tokens), fixed_dim(48)}, uniform(1)},
           {{of_batch()}, constant(position), ir::ValueKind::input, true},
           {cache, uniform(1), ir::ValueKind::state},
           {cache, uniform(1), ir::ValueKind::state}},
          {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{8}}},
          3};
}

const OpRegistration registration{
    "rope_kv_append",
    rope_kv_append,
    {rope_case("rope_one_token", 1, 13), rope_case("rope_tokens", 4, 16), rope_case("rope_padding", 1, -1),
     rope_case("rope_padding_tokens", 4, -1)}};

}  // namespace
}  // namespace graphbench::conformance
