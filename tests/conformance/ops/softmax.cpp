// softmax and its gradient: their definitions, and a case each.
#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> softmax_of_rows(const ir::OpCall& call, std::vector<Tensor>& in) {
  Tensor out = in[0];
  const Index columns = extent(call.input(0), 1);
  for (Index at = 0; at < out.size(); at += columns) softmax(&out[at], columns);
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
// A sum of 37 products of up to 1 that is multiplied by up to 1, added up in fp32.
const OpCase::Input weights{{of_batch(), fixed_dim(37)}, {ir::Init::Kind::uniform, 0, 1}};

const OpRegistration registrations[] = {
    {"softmax", softmax_of_rows, {{"softmax", "softmax", {rows}, {}, 5}}},
    {"softmax_grad", gradient, {{"softmax_grad", "softmax_grad", {rows, weights}, {}, 5}}}};

}  // namespace
}  // namespace graphbench::conformance
