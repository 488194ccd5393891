// The losses: their definitions and cases.
#include <cmath>

#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> mse_loss(const ir::OpCall& call, std::vector<Tensor>& in) {
  const double weight = given<double>(call, "scale", 1) / static_cast<double>(in[0].size());
  double loss = 0;
  Tensor dy(in[0].size());
  for (Index i = 0; i < dy.size(); ++i) {
    const double off = in[0][i] - in[1][i];
    loss += weight * off * off;
    dy[i] = 2 * weight * off;
  }
  return {{loss}, dy};
}

std::vector<Tensor> cross_entropy_loss(const ir::OpCall& call, std::vector<Tensor>& in) {
  const Index rows = extent(call.input(0), 0), columns = extent(call.input(0), 1);
  const double weight = given<double>(call, "scale", 1) / static_cast<double>(rows);
  double loss = 0;
  Tensor dy = in[0];
  for (Index r = 0; r < rows; ++r) {
    softmax(&dy[r * columns], columns);
    double& wanted = dy[r * columns + static_cast<Index>(in[1][r])];
    loss -= weight * std::log(wanted);
    wanted -= 1;
    for (Index c = 0; c < columns; ++c) dy[r * columns + c] *= weight;
  }
  return {{loss}, dy};
}

const OpCase::Input rows{{of_batch(), fixed_dim(37)}, uniform(1)};
const OpCase::Input classes{{of_batch()}, {ir::Init::Kind::uniform, 0, 37}, ir::ValueKind::input, true};

const OpRegistration registrations[] = {
    {"mse_loss",
     mse_loss,
     {{"mse_loss", {rows, rows}, {}, 5},
      {"mse_loss_one_row", {rows, rows}, {}, 1},
      {"mse_loss_times_8", {rows, rows}, {{"scale", 8.0}}, 200}}},
    {"cross_entropy_loss",
     cross_entropy_loss,
     {{"cross_entropy_loss", {rows, classes}, {}, 5},
      {"cross_entropy_loss_times_8", {rows, classes}, {{"scale", 8.0}}, 70}}}};

}  // namespace
}  // namespace graphbench::conformance
