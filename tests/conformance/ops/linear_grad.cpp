// linear's gradients: their definitions and cases.
#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> input_gradient(const ir::OpCall& call, std::vector<Tensor>& in) {
  const Index rows = extent(call.input(0), 0), columns = extent(call.input(0), 1),
              inner = extent(call.input(1), 1);
  Tensor dx = in.size() == 3 ? in[2] : Tensor(rows * inner);
  for (Index r = 0; r < rows; ++r) {
    for (Index n = 0; n < columns; ++n) {
      for (Index k = 0; k < inner; ++k) dx[r * inner + k] += in[0][r * columns + n] * in[1][n * inner + k];
    }
  }
  return {dx};
}

std::vector<Tensor> weight_gradient(const ir::OpCall& call, std::vector<Tensor>& in) {
  const Index rows = extent(call.input(0), 0), columns = extent(call.input(0), 1),
              inner = extent(call.input(1), 1);
  Tensor dw = in.size() == 3 ? in[2] : Tensor(columns * inner);
  for (Index r = 0; r < rows; ++r) {
    for (Index n = 0; n < columns; ++n) {
      for (Index k = 0; k < inner; ++k) dw[n * inner + k] += in[0][r * columns + n] * in[1][r * inner + k];
    }
  }
  return {dw};
}

const OpCase::Input dy{{of_batch(), fixed_dim(24)}, uniform(1)};
const OpCase::Input x{{of_batch(), fixed_dim(40)}, uniform(1)};
const OpCase::Input w{{fixed_dim(24), fixed_dim(40)}, uniform(0.3)};
const ir::Attributes accumulating{{"accumulate", one}};

const OpRegistration registrations[] = {
    {"linear_grad_input",
     input_gradient,
     {{"linear_grad_input", "linear_grad_input", {dy, w}, {}, 5},
      {"linear_grad_input_one_row", "linear_grad_input", {dy, w}, {}, 1},
      {"linear_grad_input_sum", "linear_grad_input", {dy, w, x}, accumulating, 7}}},
    {"linear_grad_weight",
     weight_gradient,
     {{"linear_grad_weight", "linear_grad_weight", {dy, x}, {}, 5},
      {"linear_grad_weight_one_row", "linear_grad_weight", {dy, x}, {}, 1},
      {"linear_grad_weight_sum", "linear_grad_weight", {dy, x, w}, accumulating, 7}}}};

}  // namespace
}  // namespace graphbench::conformance
