// Optimizers and the count of steps: their definitions and cases.
#include <cmath>

#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> advance(const ir::OpCall&, std::vector<Tensor>& in) {
  in[0][0] += 1;
  return {};
}

std::vector<Tensor> sgd(const ir::OpCall& call, std::vector<Tensor>& in) {
  const double momentum = given<double>(call, "momentum", 0.9);
  const double decay = given<double>(call, "weight_decay", 0);
  for (Index at = 1; at < in.size(); at += 3) {
    Tensor &p = in[at], &g = in[at + 1], &v = in[at + 2];
    for (Index i = 0; i < p.size(); ++i) {
      v[i] = momentum * v[i] + g[i] + decay * p[i];
      p[i] -= in[0][0] * v[i];
    }
  }
  return {};
}

std::vector<Tensor> adamw(const ir::OpCall& call, std::vector<Tensor>& in) {
  const double beta1 = given<double>(call, "beta1", 0.9);
  const double beta2 = given<double>(call, "beta2", 0.999);
  const double epsilon = given<double>(call, "eps", 1e-8);
  const double decay = given<double>(call, "weight_decay", 0.01);
  const double rate = in[1][0];
  for (Index at = 2; at < in.size(); at += 4) {
    Tensor &p = in[at], &g = in[at + 1], &m = in[at + 2], &v = in[at + 3];
    for (Index i = 0; i < p.size(); ++i) {
      m[i] = beta1 * m[i] + (1 - beta1) * g[i];
      v[i] = beta2 * v[i] + (1 - beta2) * g[i] * g[i];
      const double first = m[i] / (1 - std::pow(beta1, in[0][0]));
      const double second = v[i] / (1 - std::pow(beta2, in[0][0]));
      p[i] = p[i] * (1 - rate * decay) - rate * first / (std::sqrt(second) + epsilon);
    }
  }
  return {};
}

const OpCase::Input rate{{fixed_dim(1)}, constant(0.0625), ir::ValueKind::state, false, true};

OpCase::Input count(double value) {
  return {{fixed_dim(1)}, constant(value), ir::ValueKind::state, true};
}

// Appends the optimizer's inputs for `parameters` parameters of different shapes, the first of rank 3.
std::vector<OpCase::Input> groups(std::vector<OpCase::Input> inputs, int parameters, bool second_moment) {
  for (int i = 0; i < parameters; ++i) {
    const ir::Shape shape =
        i == 0 ? ir::Shape{fixed_dim(5), fixed_dim(3), fixed_dim(2)} : ir::Shape{fixed_dim(i * 37)};
    inputs.push_back({shape, uniform(1), ir::ValueKind::state});
    inputs.push_back({shape, uniform(1)});
    inputs.push_back({shape, uniform(1), ir::ValueKind::state});
    const ir::Init positive{ir::Init::Kind::uniform, 0.5, 2};
    if (second_moment) inputs.push_back({shape, positive, ir::ValueKind::state});
  }
  return inputs;
}

const OpRegistration registrations[] = {
    {"advance", advance, {{"advance", {count(6)}, {}, 1}}},
    {"sgd",
     sgd,
     {{"sgd", groups({rate}, 2, false), {}, 1},
      {"sgd_decay", groups({rate}, 1, false), {{"momentum", 0.5}, {"weight_decay", 0.25}}, 1},
      {"sgd_many", groups({rate}, 50, false), {}, 1}}},
    {"adamw",
     adamw,
     {{"adamw", groups({count(3), rate}, 2, true), {}, 1},
      {"adamw_first",
       groups({count(1), rate}, 1, true),
       {{"beta1", 0.5}, {"beta2", 0.75}, {"eps", 0.25}, {"weight_decay", 0.5}},
       1},
      {"adamw_many", groups({count(3), rate}, 50, true), {}, 1}}}};

}  // namespace
}  // namespace graphbench::conformance
