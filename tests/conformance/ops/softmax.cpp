// softmax and its gradient: their definitions, and a case each.
#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> softmax_of_rows(const ir::OpCall& call, std::vector<Tensor>& in) {
  Tensor out = in[0];
  const Index columns = static_cast<Index>(call.input(0).dims.back());
  const bool causal = given<std::int64_t>(call, "causal", 0) == 1;
  const Index tokens = causal ? extent(call.input(0), 2) : 1;
  for (Index row = 0; row < out.size() / columns; ++row) {
    const Index seen = causal ? columns - tokens + row % tokens + 1 : columns;
    softmax(&out[row * columns], seen);
    for (Index i = seen; i < columns; ++i) out[row * columns + i] = 0;
  }
  return {out};
}

std::vector<Tensor> gradient(const ir::OpCall& call, std::vector<Tensor>& in) {
  Tensor dx(in[0].size());
  const Index columns = extent(call.input(0), 1);
  for (Index at = 0; at < dx.size(); at += columns) {
    double products = 0;
    for (Index i = at; i < at + columns; ++i) products += in[0][i] * in[1][i];
    for (Index i = at; i < at + columns; ++i) dx[i] = in[1][i] * (in[0][i] - products);
  }
  return {dx};
}

const OpCase::Input rows{{of_batch(), fixed_dim(37)}, uniform(3)};
const OpCase::Input heads{{of_batch(), fixed_dim(3), fixed_dim(5), fixed_dim(37)}, uniform(3)};
// Weights of at most 1: the gradient multiplies them by a sum of 37 products, added up in fp32.
const OpCase::Input weights{{of_batch(), fixed_dim(37)}, {ir::Init::Kind::uniform, 0, 1}};

const OpRegistration registrations[] = {
    {"softmax",
     softmax_of_rows,
     {{"softmax", {rows}, {}, 5},
      {"softmax_long", {{{of_batch(), fixed_dim(1337)}, uniform(8)}}, {}, 6},
      {"softmax_heads", {heads}, {}, 2},
      {"softmax_causal", {heads}, {{"causal", one}}, 2}}},
    {"softmax_grad", gradient, {{"softmax_grad", {rows, weights}, {}, 5}}}};

}  // namespace
}  // namespace graphbench::conformance
