// An optimizer is one op over all parameters. A separate op, advance, counts the steps.
#include <cmath>
#include <tuple>
#include <type_traits>
#include <vector>

#include "graphs/host/ops/direct_op.hpp"

namespace graphbench::host {
namespace {

float real(const ir::OpCall& call, const char* name) {
  return static_cast<float>(ir::real_attribute(*call.op, name));
}

// The operands are `Rule::ahead` operands that all parameters share, then `Rule::group` per parameter.
// Rule::step() returns the function that updates one element.
template <typename T, typename Rule>
class Optimizer {
 public:
  explicit Optimizer(const ir::OpCall& call) : rule_(call) {
    for (std::size_t i = Rule::ahead; i < call.input_count; i += Rule::group)
      elements_.push_back(call.input(i).elements());
  }

  void operator()(void* const* operands) const {
    const auto update = rule_.step(operands);
    void* const* group = operands + Rule::ahead;
    for (const std::int64_t elements : elements_) {
      parallel_for(elements, 8 * 1024, [&](std::int64_t first, std::int64_t last) {
        T* values[Rule::group];
        for (std::size_t i = 0; i < Rule::group; ++i) values[i] = static_cast<T*>(group[i]);
        for (std::int64_t i = first; i < last; ++i) update(values, i);
      });
      group += Rule::group;
    }
  }

 private:
  Rule rule_;
  std::vector<std::int64_t> elements_;  // per parameter
};

struct Sgd {
  static constexpr std::size_t ahead = 1;
  static constexpr std::size_t group = 3;
  float momentum;
  float decay;

  explicit Sgd(const ir::OpCall& call)
      : momentum(real(call, "momentum")), decay(real(call, "weight_decay")) {}

  auto step(void* const* operands) const {
    const float rate = *static_cast<const float*>(operands[0]);
    return [=, *this](auto* const* values, std::int64_t i) {
      const auto [p, g, v] = std::tuple(values[0], values[1], values[2]);
      using T = std::remove_reference_t<decltype(*p)>;
      const float velocity = momentum * to_float(v[i]) + (to_float(g[i]) + decay * to_float(p[i]));
      v[i] = from_float<T>(velocity);
      p[i] = from_float<T>(to_float(p[i]) - rate * velocity);
    };
  }
};

struct AdamW {
  static constexpr std::size_t ahead = 2;
  static constexpr std::size_t group = 4;
  double beta1;
  double beta2;
  float epsilon;
  float decay;

  explicit AdamW(const ir::OpCall& call)
      : beta1(ir::real_attribute(*call.op, "beta1")),
        beta2(ir::real_attribute(*call.op, "beta2")),
        epsilon(real(call, "eps")),
        decay(real(call, "weight_decay")) {}

  auto step(void* const* operands) const {
    const std::int32_t count = *static_cast<const std::int32_t*>(operands[0]);
    const float rate = *static_cast<const float*>(operands[1]);
    const auto correction1 = static_cast<float>(1 - std::pow(beta1, count));
    const auto correction2 = static_cast<float>(1 - std::pow(beta2, count));
    const auto keep1 = static_cast<float>(beta1), take1 = static_cast<float>(1 - beta1);
    const auto keep2 = static_cast<float>(beta2), take2 = static_cast<float>(1 - beta2);
    const float shrink = 1.0f - rate * decay;
    return [=, epsilon = epsilon](auto* const* values, std::int64_t i) {
      const auto [p, g, m, v] = std::tuple(values[0], values[1], values[2], values[3]);
      using T = std::remove_reference_t<decltype(*p)>;
      const float gradient = to_float(g[i]);
      const float first = keep1 * to_float(m[i]) + take1 * gradient;
      const float second = keep2 * to_float(v[i]) + take2 * gradient * gradient;
      m[i] = from_float<T>(first);
      v[i] = from_float<T>(second);
      const float update = first / correction1 / (std::sqrt(second / correction2) + epsilon);
      p[i] = from_float<T>(to_float(p[i]) * shrink - rate * update);
    };
  }
};

template <typename Rule>
std::unique_ptr<OpImplementation> make_optimizer(const ir::OpCall& call) {
  return for_float_type(call.operands.back().dtype, [&](auto element) {
    return direct_op(call, Optimizer<decltype(element), Rule>(call));
  });
}

}  // namespace

std::unique_ptr<OpImplementation> make_sgd(const ir::OpCall& call, ScratchArena&) {
  return make_optimizer<Sgd>(call);
}
std::unique_ptr<OpImplementation> make_adamw(const ir::OpCall& call, ScratchArena&) {
  return make_optimizer<AdamW>(call);
}
std::unique_ptr<OpImplementation> make_advance(const ir::OpCall& call, ScratchArena&) {
  return direct_op(call, [](void* const* operands) { ++*static_cast<std::int32_t*>(operands[0]); });
}

}  // namespace graphbench::host
