// add, relu and gelu_tanh: their definitions, and a case each.
#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> add(const ir::OpCall&, std::vector<Tensor>& in) {
  Tensor out = in[0];
  for (Index i = 0; i < out.size(); ++i) out[i] += in[1][i];
  return {out};
}

std::vector<Tensor> activation(const ir::OpCall& call, std::vector<Tensor>& in) {
  Tensor out = in[0];
  for (double& x : out) x = activate(x, call.op->kind);
  return {out};
}

const OpCase::Input rows{{of_batch(), fixed_dim(37)}, uniform(3)};

const OpRegistration registrations[] = {
    {"add", add, {{"add", "add", {rows, rows}, {}, 5}}},
    {"relu", activation, {{"relu", "relu", {rows}, {}, 5}}},
    {"gelu_tanh", activation, {{"gelu_tanh", "gelu_tanh", {rows}, {}, 5}}}};

}  // namespace
}  // namespace graphbench::conformance
