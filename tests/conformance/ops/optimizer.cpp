// Optimizers and the count of steps: their definitions and cases.
#include <algorithm>
#include <cmath>

#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> advance(const ir::OpCall&, std::vector<Tensor>& in) {
  in[0][0] += 1;
  return {};
}

std::vector<Tensor> clip_norm(const ir::OpCall& call, std::vector<Tensor>& in) {
  double squares = 0;
  for (const Tensor& gradient : in) {
    for (const double g : gradient) squares += g * g;
  }
  const double scale = std::min(1.0, given<double>(call, "max_norm", 0) / (std::sqrt(squares) + 1e-6));
  for (Tensor& gradient : in) {
    for (double& g : gradient) g *= scale;
  }
  return {};
}

std::vector<Tensor> clip_norm_scaled(const ir::OpCall& call, std::vector<Tensor>& in) {
  const double scale = in[0][0];
  std::vector<Tensor> inner(in.begin() + 1, in.end());
  for (Tensor& gradient : inner) {
    for (double& g : gradient) g /= scale;
  }
  clip_norm(call, inner);
  for (Index i = 0; i < inner.size(); ++i) {
    for (double& g : inner[i]) g *= scale;
    in[i + 1] = inner[i];
  }
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

// Ahead of the groups stand `count`, where there is one, rate, scale and what overflowed: taken out, the rest
// is the plain op's.
std::vector<Tensor> scaled(Definition plain, Index at, Index group, const ir::OpCall& call,
                           std::vector<Tensor>& in) {
  if (in[at + 1][0] != 0) return {};
  std::vector<Tensor> inner = in;
  if (at == 2) inner[0][0] -= in[at + 1][1];
  inner.erase(inner.begin() + static_cast<std::ptrdiff_t>(at),
              inner.begin() + static_cast<std::ptrdiff_t>(at + 2));
  for (Index i = at + 1; i < inner.size(); i += group) {
    for (double& g : inner[i]) g /= in[at][0];
  }
  plain(call, inner);
  for (Index i = at; i < inner.size(); ++i) {
    if ((i - at) % group != 1) in[i + 2] = inner[i];
  }
  return {};
}
std::vector<Tensor> sgd_scaled(const ir::OpCall& call, std::vector<Tensor>& in) {
  return scaled(sgd, 1, 3, call, in);
}
std::vector<Tensor> adamw_scaled(const ir::OpCall& call, std::vector<Tensor>& in) {
  return scaled(adamw, 2, 4, call, in);
}

std::vector<Tensor> find_overflow(const ir::OpCall&, std::vector<Tensor>& in) {
  in[0][0] = 0;
  for (Index i = 1; i < in.size(); ++i) {
    for (const double g : in[i]) {
      if (!std::isfinite(g)) in[0][0] = 1;
    }
  }
  in[0][1] += in[0][0];
  return {};
}

const OpCase::Input rate{{fixed_dim(1)}, constant(0.0625), ir::ValueKind::state, false, true};

OpCase::Input count(double value) {
  return {{fixed_dim(1)}, constant(value), ir::ValueKind::state, true};
}

const OpCase::Input scale{{fixed_dim(1)}, constant(8), ir::ValueKind::state, false, true};
OpCase::Input overflow(double both) {
  return {{fixed_dim(2)}, constant(both), ir::ValueKind::state, true};
}
std::vector<OpCase::Input> behind(const OpCase::Input& first, std::vector<OpCase::Input> others) {
  others.insert(others.begin(), first);
  return others;
}

// `parameters` of different shapes, the first of more than one extent.
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

std::vector<OpCase::Input> gradients(int count) {
  std::vector<OpCase::Input> inputs;
  for (int i = 1; i <= count; ++i) inputs.push_back({{fixed_dim(i * 173)}, uniform(1), ir::ValueKind::state});
  return inputs;
}

const OpRegistration registrations[] = {
    {"advance", advance, {{"advance", "advance", {count(6)}, {}, 1}}},
    {"clip_norm",
     clip_norm,
     {{"clip_norm", "clip_norm", gradients(3), {{"max_norm", 0.5}}, 1},
      {"clip_norm_within", "clip_norm", gradients(2), {{"max_norm", 1000.0}}, 1},
      {"clip_norm_many", "clip_norm", gradients(60), {{"max_norm", 2.0}}, 1}}},
    {"clip_norm_scaled",
     clip_norm_scaled,
     {{"clip_norm_scaled", "clip_norm_scaled", behind(scale, gradients(3)), {{"max_norm", 0.5}}, 1},
      {"clip_norm_scaled_many", "clip_norm_scaled", behind(scale, gradients(170)), {{"max_norm", 2.0}}, 1}}},
    {"find_overflow",
     find_overflow,
     {{"find_overflow", "find_overflow", behind(overflow(4), gradients(3)), {}, 1},
      {"find_overflow_many", "find_overflow", behind(overflow(0), gradients(170)), {}, 1}}},
    {"sgd_scaled",
     sgd_scaled,
     {{"sgd_scaled", "sgd_scaled", groups({rate, scale, overflow(0)}, 2, false), {}, 1},
      {"sgd_skipped", "sgd_scaled", groups({rate, scale, overflow(1)}, 1, false), {}, 1}}},
    {"adamw_scaled",
     adamw_scaled,
     {{"adamw_scaled", "adamw_scaled", groups({count(3), rate, scale, overflow(0)}, 2, true), {}, 1},
      {"adamw_skipped", "adamw_scaled", groups({count(3), rate, scale, overflow(1)}, 2, true), {}, 1}}},
    {"sgd",
     sgd,
     {{"sgd", "sgd", groups({rate}, 2, false), {}, 1},
      {"sgd_decay", "sgd", groups({rate}, 1, false), {{"momentum", 0.5}, {"weight_decay", 0.25}}, 1},
      {"sgd_many", "sgd", groups({rate}, 50, false), {}, 1}}},
    {"adamw",
     adamw,
     {{"adamw", "adamw", groups({count(3), rate}, 2, true), {}, 1},
      {"adamw_first",
       "adamw",
       groups({count(1), rate}, 1, true),
       {{"beta1", 0.5}, {"beta2", 0.75}, {"eps", 0.25}, {"weight_decay", 0.5}},
       1},
      {"adamw_many", "adamw", groups({count(3), rate}, 50, true), {}, 1}}}};

}  // namespace
}  // namespace graphbench::conformance
