// linear and its gradients: their definitions and cases.
#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> linear(const ir::OpCall& call, std::vector<Tensor>& in) {
  const Index rows = extent(call.input(0), 0), inner = extent(call.input(0), 1),
              columns = extent(call.input(1), 0);
  const bool bias = given<std::int64_t>(call, "bias", 0) == 1;
  const bool residual = given<std::int64_t>(call, "residual", 0) == 1;
  const std::string activation = given<std::string>(call, "activation", "none");
  Tensor y(rows * columns);
  for (Index r = 0; r < rows; ++r) {
    for (Index n = 0; n < columns; ++n) {
      double sum = bias ? in[2][n] : 0;
      for (Index k = 0; k < inner; ++k) sum += in[0][r * inner + k] * in[1][n * inner + k];
      y[r * columns + n] = activate(sum, activation) + (residual ? in[bias ? 3 : 2][r * columns + n] : 0);
    }
  }
  return {y};
}

struct Size {
  std::int64_t rows, columns = 24, inner = 40;
};

OpCase linear_case(std::string name, const Size& size, const std::string& with) {
  const auto has = [&](const char* word) { return with.find(word) != std::string::npos; };
  OpCase c{std::move(name), {}, {}, size.rows};
  c.inputs = {{{of_batch(), fixed_dim(size.inner)}, uniform(1)},
              {{fixed_dim(size.columns), fixed_dim(size.inner)}, uniform(size.inner > 500 ? 0.06 : 0.3)}};
  if (has("bias")) c.inputs.push_back({{fixed_dim(size.columns)}, uniform(1)});
  if (has("residual")) c.inputs.push_back({{of_batch(), fixed_dim(size.columns)}, uniform(1)});
  for (const char* each : {"bias", "residual"}) {
    if (has(each)) c.attributes[each] = one;
  }
  for (const char* each : {"relu", "gelu_tanh"}) {
    if (has(each)) c.attributes["activation"] = std::string(each);
  }
  return c;
}

std::vector<OpCase> cases() {
  return {linear_case("linear_plain", {3}, ""),
          linear_case("linear_one_row", {1}, "bias gelu_tanh"),
          linear_case("linear_bias_gelu", {5}, "bias gelu_tanh"),
          linear_case("linear_residual", {4}, "residual"),
          linear_case("linear_bias_relu_residual", {7}, "bias relu residual"),
          linear_case("linear_wide_row", {1, 256, 128}, ""),
          linear_case("linear_bias", {7, 96, 64}, "bias"),
          linear_case("linear_bias_residual", {16, 64, 256}, "bias residual"),
          linear_case("linear_rows_bias_gelu", {33, 128, 128}, "bias gelu_tanh"),
          linear_case("linear_gelu", {8, 128, 64}, "gelu_tanh"),
          linear_case("linear_bias_relu", {8, 128, 64}, "bias relu"),
          linear_case("linear_relu_residual", {8, 128, 64}, "relu residual"),
          linear_case("linear_bias_gelu_residual", {5, 64, 64}, "bias gelu_tanh residual"),
          linear_case("linear_odd", {3, 37, 41}, "bias residual"),
          linear_case("linear_large", {256, 512, 1024}, "bias residual")};
}

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

const OpRegistration registrations[] = {{"linear", linear, cases()},
                                        {"linear_grad_input",
                                         input_gradient,
                                         {{"linear_grad_input", {dy, w}, {}, 5},
                                          {"linear_grad_input_one_row", {dy, w}, {}, 1},
                                          {"linear_grad_input_sum", {dy, w, x}, accumulating, 7}}},
                                        {"linear_grad_weight",
                                         weight_gradient,
                                         {{"linear_grad_weight", {dy, x}, {}, 5},
                                          {"linear_grad_weight_one_row", {dy, x}, {}, 1},
                                          {"linear_grad_weight_sum", {dy, x, w}, accumulating, 7}}}};

}  // namespace
}  // namespace graphbench::conformance
