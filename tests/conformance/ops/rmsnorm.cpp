// rmsnorm: its definition and a case.
#include <cmath>

#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> rmsnorm(const ir::OpCall& call, std::vector<Tensor>& in) {
  const Index rows = extent(call.input(0), 0), columns = extent(call.input(0), 1);
  const double epsilon = given<double>(call, "eps", 1e-5);
  Tensor y(rows * columns);
  for (Index r = 0; r < rows; ++r) {
    double squares = 0;
    for (Index c = 0; c < columns; ++c) squares += in[0][r * columns + c] * in[0][r * columns + c];
    const double scale = 1 / std::sqrt(squares / static_cast<double>(columns) + epsilon);
    for (Index c = 0; c < columns; ++c) y[r * columns + c] = in[0][r * columns + c] * scale * in[1][c];
  }
  return {y};
}

std::vector<OpCase> cases() {
  std::vector<OpCase> all;
  for (const std::int64_t columns : {37, 64, 77, 1000, 1024, 20000}) {
    const OpCase::Input x{{of_batch(), fixed_dim(columns)}, uniform(3)},
        gamma{{fixed_dim(columns)}, uniform(2)};
    all.push_back({"rmsnorm_" + std::to_string(columns), "rmsnorm", {x, gamma}, {{"eps", 1e-3}}, 5});
  }
  return all;
}

const OpRegistration registration{"rmsnorm", rmsnorm, cases()};

}  // namespace
}  // namespace graphbench::conformance
