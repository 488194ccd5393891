// rmsnorm and its gradients: their definitions and cases.
#include <cmath>

#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

double scale_of(const Tensor& x, Index row, Index columns, double epsilon) {
  double squares = 0;
  for (Index c = 0; c < columns; ++c) squares += x[row * columns + c] * x[row * columns + c];
  return 1 / std::sqrt(squares / static_cast<double>(columns) + epsilon);
}

std::vector<Tensor> rmsnorm(const ir::OpCall& call, std::vector<Tensor>& in) {
  const Index rows = extent(call.input(0), 0), columns = extent(call.input(0), 1);
  Tensor y(rows * columns);
  for (Index r = 0; r < rows; ++r) {
    const double scale = scale_of(in[0], r, columns, given<double>(call, "eps", 1e-5));
    for (Index c = 0; c < columns; ++c) y[r * columns + c] = in[0][r * columns + c] * scale * in[1][c];
  }
  return {y};
}

std::vector<Tensor> input_gradient(const ir::OpCall& call, std::vector<Tensor>& in) {
  const Index rows = extent(call.input(0), 0), columns = extent(call.input(0), 1);
  Tensor dx = in.size() == 4 ? in[3] : Tensor(rows * columns);
  for (Index r = 0; r < rows; ++r) {
    const double scale = scale_of(in[1], r, columns, given<double>(call, "eps", 1e-5));
    double mean = 0;
    for (Index c = 0; c < columns; ++c)
      mean += in[0][r * columns + c] * in[2][c] * in[1][r * columns + c] / static_cast<double>(columns);
    for (Index c = 0; c < columns; ++c) {
      const Index at = r * columns + c;
      dx[at] += scale * (in[0][at] * in[2][c] - in[1][at] * scale * scale * mean);
    }
  }
  return {dx};
}

std::vector<Tensor> weight_gradient(const ir::OpCall& call, std::vector<Tensor>& in) {
  const Index rows = extent(call.input(0), 0), columns = extent(call.input(0), 1);
  Tensor dgamma = in.size() == 3 ? in[2] : Tensor(columns);
  for (Index r = 0; r < rows; ++r) {
    const double scale = scale_of(in[1], r, columns, given<double>(call, "eps", 1e-5));
    for (Index c = 0; c < columns; ++c) dgamma[c] += in[0][r * columns + c] * in[1][r * columns + c] * scale;
  }
  return {dgamma};
}

std::vector<OpCase> cases() {
  std::vector<OpCase> all;
  for (const std::int64_t columns : {37, 64, 77, 1000, 1024, 20000}) {
    const OpCase::Input x{{of_batch(), fixed_dim(columns)}, uniform(3)},
        gamma{{fixed_dim(columns)}, uniform(2)};
    all.push_back({"rmsnorm_" + std::to_string(columns), {x, gamma}, {{"eps", 1e-3}}, 5});
  }
  return all;
}

const OpCase::Input rows{{of_batch(), fixed_dim(37)}, uniform(3)};
const OpCase::Input weights{{fixed_dim(37)}, uniform(2)};
const ir::Attributes accumulating{{"accumulate", one}, {"eps", 1e-3}};

const OpRegistration registrations[] = {
    {"rmsnorm", rmsnorm, cases()},
    {"rmsnorm_grad_input",
     input_gradient,
     {{"rmsnorm_grad_input", {rows, rows, weights}, {{"eps", 1e-3}}, 5},
      {"rmsnorm_grad_input_sum", {rows, rows, weights, rows}, accumulating, 4}}},
    {"rmsnorm_grad_weight",
     weight_gradient,
     {{"rmsnorm_grad_weight", {rows, rows}, {{"eps", 1e-3}}, 5},
      {"rmsnorm_grad_weight_sum", {rows, rows, weights}, accumulating, 4}}}};

}  // namespace
}  // namespace graphbench::conformance
