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

OpCase linear_case(std::string name, std::int64_t batch, std::vector<OpCase::Input> extra,
                   ir::Attributes attributes) {
  OpCase c{std::move(name), "linear", {}, std::move(attributes), batch};
  c.inputs = {{{of_batch(), fixed_dim(40)}, uniform(1)}, {{fixed_dim(24), fixed_dim(40)}, uniform(0.3)}};
  for (OpCase::Input& input : extra) c.inputs.push_back(std::move(input));
  return c;
}

std::vector<OpCase> cases() {
  const OpCase::Input bias{{fixed_dim(24)}, uniform(1)};
  const OpCase::Input residual{{of_batch(), fixed_dim(24)}, uniform(1)};
  const ir::Attributes gelu{{"bias", one}, {"activation", std::string("gelu_tanh")}};
  const ir::Attributes all{{"bias", one}, {"residual", one}, {"activation", std::string("relu")}};
  return {linear_case("linear_plain", 3, {}, {}), linear_case("linear_one_row", 1, {bias}, gelu),
          linear_case("linear_bias_gelu", 5, {bias}, gelu),
          linear_case("linear_residual", 4, {residual}, {{"residual", one}}),
          linear_case("linear_bias_relu_residual", 7, {bias, residual}, all)};
}

const OpRegistration registration{"linear", linear, cases()};

}  // namespace
}  // namespace graphbench::conformance
