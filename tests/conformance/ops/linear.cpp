// linear: its definition and cases.
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
  OpCase c{std::move(name), "linear", {}, {}, size.rows};
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

const OpRegistration registration{"linear", linear, cases()};

}  // namespace
}  // namespace graphbench::conformance
