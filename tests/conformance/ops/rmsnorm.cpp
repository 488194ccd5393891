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

const OpRegistration registration{
    "rmsnorm",
    rmsnorm,
    {{"rmsnorm",
      "rmsnorm",
      {{{of_batch(), fixed_dim(37)}, uniform(3)}, {{fixed_dim(37)}, uniform(2)}},
      {{"eps", 1e-3}},
      5}}};

}  // namespace
}  // namespace graphbench::conformance
