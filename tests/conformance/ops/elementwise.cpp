// add, bias_add, relu, gelu_tanh and their gradients: their definitions, and a case each.
#include <cmath>

#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> add(const ir::OpCall&, std::vector<Tensor>& in) {
  Tensor out = in[0];
  for (Index i = 0; i < out.size(); ++i) out[i] += in[1][i];
  return {out};
}

std::vector<Tensor> bias_add(const ir::OpCall&, std::vector<Tensor>& in) {
  Tensor out = in[0];
  for (Index i = 0; i < out.size(); ++i) out[i] += in[1][i % in[1].size()];
  return {out};
}

std::vector<Tensor> activation(const ir::OpCall& call, std::vector<Tensor>& in) {
  Tensor out = in[0];
  for (double& x : out) x = activate(x, call.op->kind);
  return {out};
}

std::vector<Tensor> relu_grad(const ir::OpCall&, std::vector<Tensor>& in) {
  Tensor out = in[0];
  for (Index i = 0; i < out.size(); ++i) out[i] = in[1][i] > 0 ? out[i] : 0;
  return {out};
}

std::vector<Tensor> gelu_tanh_grad(const ir::OpCall&, std::vector<Tensor>& in) {
  Tensor out = in[0];
  for (Index i = 0; i < out.size(); ++i) {
    const double x = in[1][i], root = std::sqrt(2 / M_PI);
    const double t = std::tanh(root * (x + 0.044715 * x * x * x));
    out[i] *= (1 + t) / 2 + x / 2 * (1 - t * t) * root * (1 + 3 * 0.044715 * x * x);
  }
  return {out};
}

const OpCase::Input rows{{of_batch(), fixed_dim(37)}, uniform(3)};
const OpCase::Input even{{of_batch(4096)}, uniform(3)}, odd{{of_batch(1001)}, uniform(3)};

const OpRegistration registrations[] = {
    {"add",
     add,
     {{"add", {rows, rows}, {}, 5}, {"add_even", {even, even}, {}, 1}, {"add_odd", {odd, odd}, {}, 1}}},
    {"bias_add",
     bias_add,
     {{"bias_add", {rows, {{fixed_dim(37)}, uniform(3)}}, {}, 5},
      {"bias_add_vector",
       {{{of_batch(), fixed_dim(3), fixed_dim(16)}, uniform(3)}, {{fixed_dim(16)}, uniform(3)}},
       {},
       5}}},
    {"relu", activation, {{"relu", {rows}, {}, 5}, {"relu_even", {even}, {}, 1}, {"relu_odd", {odd}, {}, 1}}},
    {"gelu_tanh",
     activation,
     {{"gelu_tanh", {rows}, {}, 5}, {"gelu_tanh_even", {even}, {}, 1}, {"gelu_tanh_odd", {odd}, {}, 1}}},
    {"relu_grad", relu_grad, {{"relu_grad", {rows, rows}, {}, 5}}},
    {"gelu_tanh_grad", gelu_tanh_grad, {{"gelu_tanh_grad", {rows, rows}, {}, 5}}}};

}  // namespace
}  // namespace graphbench::conformance
