// The losses: their definitions and cases.
#include <cmath>

#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

double scale_of(const std::vector<Tensor>& in) {
  return in.size() > 2 ? in[2][0] : 1;
}

std::vector<Tensor> mse_loss(const ir::OpCall& call, std::vector<Tensor>& in) {
  const double weight = given<double>(call, "scale", 1) / static_cast<double>(in[0].size());
  double loss = 0;
  Tensor dy(in[0].size());
  for (Index i = 0; i < dy.size(); ++i) {
    const double off = in[0][i] - in[1][i];
    loss += weight * off * off;
    dy[i] = scale_of(in) * 2 * weight * off;
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
    for (Index c = 0; c < columns; ++c) dy[r * columns + c] *= scale_of(in) * weight;
  }
  return {{loss}, dy};
}

const OpCase::Input rows{{of_batch(), fixed_dim(37)}, uniform(1)};
const OpCase::Input classes{{of_batch()}, {ir::Init::Kind::uniform, 0, 37}, ir::ValueKind::input, true};

const OpCase::Input scale{{fixed_dim(1)}, constant(16), ir::ValueKind::state, false, true};

const OpRegistration registrations[] = {
    {"mse_loss",
     mse_loss,
     {{"mse_loss", "mse_loss", {rows, rows}, {}, 5},
      {"mse_loss_by_a_value", "mse_loss", {rows, rows, scale}, {{"scaled", one}}, 5},
      {"mse_loss_one_row", "mse_loss", {rows, rows}, {}, 1},
      {"mse_loss_scaled", "mse_loss", {rows, rows}, {{"scale", 8.0}}, 200}}},
    {"cross_entropy_loss",
     cross_entropy_loss,
     {{"cross_entropy_loss", "cross_entropy_loss", {rows, classes}, {}, 5},
      {"cross_entropy_loss_by_a_value", "cross_entropy_loss", {rows, classes, scale}, {{"scaled", one}}, 5},
      {"cross_entropy_loss_scaled", "cross_entropy_loss", {rows, classes}, {{"scale", 8.0}}, 70}}}};

}  // namespace
}  // namespace graphbench::conformance
