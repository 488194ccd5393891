// Optimizers: one op over all parameters, what clips their gradients, and the count of steps.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <vector>

#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"
#include "graphs/host/ops/sums.hpp"

namespace graphbench::host {
namespace {

float real(const ir::OpCall& call, const char* name) {
  return static_cast<float>(ir::real_attribute(*call.op, name));
}

// What a step of an optimizer is to every element of every parameter. `Rule` has `group`, how many operands a
// parameter has, `ahead`, how many stand before them, and step(), which makes the function of a group.
// `scaled`: then come the scale of all gradients, and whether they overflowed.
template <typename T, typename Rule, bool scaled>
class Optimizer {
 public:
  explicit Optimizer(const ir::OpCall& call) : rule_(call) {
    for (std::size_t i = ahead; i < call.input_count; i += Rule::group)
      elements_.push_back(call.input(i).elements());
  }

  void operator()(void* const* operands) const {
    float unscale = 1;
    std::int32_t skipped = 0;
    if constexpr (scaled) {
      const auto* const overflow = static_cast<const std::int32_t*>(operands[ahead - 1]);
      if (overflow[0] != 0) return;
      skipped = overflow[1];
      unscale = 1 / *static_cast<const float*>(operands[ahead - 2]);
    }
    const auto update = rule_.step(operands, unscale, skipped);
    void* const* group = operands + ahead;
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
  static constexpr std::size_t ahead = Rule::ahead + (scaled ? 2 : 0);
  Rule rule_;
  std::vector<std::int64_t> elements_;  // of each parameter
};

struct Sgd {
  static constexpr std::size_t ahead = 1;
  static constexpr std::size_t group = 3;
  float momentum;
  float decay;

  explicit Sgd(const ir::OpCall& call)
      : momentum(real(call, "momentum")), decay(real(call, "weight_decay")) {}

  auto step(void* const* operands, float unscale, std::int32_t) const {
    const float rate = *static_cast<const float*>(operands[0]);
    return [=, *this](auto* const* values, std::int64_t i) {
      const auto [p, g, v] = std::tuple(values[0], values[1], values[2]);
      using T = std::remove_reference_t<decltype(*p)>;
      const float velocity = momentum * to_float(v[i]) + (unscale * to_float(g[i]) + decay * to_float(p[i]));
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

  auto step(void* const* operands, float unscale, std::int32_t skipped) const {
    const std::int32_t count = *static_cast<const std::int32_t*>(operands[0]) - skipped;
    const float rate = *static_cast<const float*>(operands[1]);
    const auto correction1 = static_cast<float>(1 - std::pow(beta1, count));
    const auto correction2 = static_cast<float>(1 - std::pow(beta2, count));
    const auto keep1 = static_cast<float>(beta1), take1 = static_cast<float>(1 - beta1);
    const auto keep2 = static_cast<float>(beta2), take2 = static_cast<float>(1 - beta2);
    const float shrink = 1.0f - rate * decay;
    return [=, epsilon = epsilon](auto* const* values, std::int64_t i) {
      const auto [p, g, m, v] = std::tuple(values[0], values[1], values[2], values[3]);
      using T = std::remove_reference_t<decltype(*p)>;
      const float gradient = unscale * to_float(g[i]);
      const float first = keep1 * to_float(m[i]) + take1 * gradient;
      const float second = keep2 * to_float(v[i]) + take2 * gradient * gradient;
      m[i] = from_float<T>(first);
      v[i] = from_float<T>(second);
      const float update = first / correction1 / (std::sqrt(second / correction2) + epsilon);
      p[i] = from_float<T>(to_float(p[i]) * shrink - rate * update);
    };
  }
};

template <typename Rule, bool scaled>
std::unique_ptr<OpImplementation> make(const ir::OpCall& call) {
  return for_float_type(call.operands.back().dtype, [&](auto element) {
    return direct_op(call, Optimizer<decltype(element), Rule, scaled>(call));
  });
}

// `scaled`: ahead of the gradients stands their scale.
template <typename T, bool scaled>
class ClipNorm {
 public:
  ClipNorm(const ir::OpCall& call, ScratchArena& scratch) : norm_max_(real(call, "max_norm")) {
    for (std::size_t i = ahead; i < call.input_count; ++i)
      parameters_.push_back({call.input(i).elements(), {call.input(i).elements(), 4096, scratch}});
  }

  void operator()(void* const* operands) const {
    float squares = 0.0f;
    float unscale = 1;
    if constexpr (scaled) unscale = 1 / *static_cast<const float*>(operands[0]);
    void* const* operand = operands + ahead;
    for (const Parameter& each : parameters_) {
      const T* gradient = static_cast<const T*>(*operand++);
      squares += each.sum.over(4, [=](std::int64_t first, std::int64_t last) {
        return sum_in_lanes(last - first, [=](std::int64_t i) {
          const float value = unscale * to_float(gradient[first + i]);
          return value * value;
        });
      });
    }
    const float scale = std::min(1.0f, norm_max_ / (std::sqrt(squares) + 1e-6f));
    operand = operands + ahead;
    for (const Parameter& each : parameters_) {
      T* gradient = static_cast<T*>(*operand++);
      parallel_for(each.elements, 16 * 1024, [=](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
          gradient[i] = from_float<T>(to_float(gradient[i]) * scale);
      });
    }
  }

 private:
  static constexpr std::size_t ahead = scaled ? 1 : 0;
  struct Parameter {
    std::int64_t elements;
    SumOfParts sum;
  };
  std::vector<Parameter> parameters_;
  float norm_max_;
};

template <bool scaled>
std::unique_ptr<OpImplementation> make_clip(const ir::OpCall& call, ScratchArena& scratch) {
  return for_float_type(call.operands.back().dtype, [&](auto element) {
    return direct_op(call, ClipNorm<decltype(element), scaled>(call, scratch));
  });
}

}  // namespace

std::unique_ptr<OpImplementation> make_sgd(const ir::OpCall& call, ScratchArena&) {
  return make<Sgd, false>(call);
}
std::unique_ptr<OpImplementation> make_sgd_scaled(const ir::OpCall& call, ScratchArena&) {
  return make<Sgd, true>(call);
}
std::unique_ptr<OpImplementation> make_adamw(const ir::OpCall& call, ScratchArena&) {
  return make<AdamW, false>(call);
}
std::unique_ptr<OpImplementation> make_adamw_scaled(const ir::OpCall& call, ScratchArena&) {
  return make<AdamW, true>(call);
}
std::unique_ptr<OpImplementation> make_find_overflow(const ir::OpCall& call, ScratchArena&) {
  std::vector<std::int64_t> elements;  // of each gradient
  for (std::size_t i = 1; i < call.input_count; ++i) elements.push_back(call.input(i).elements());
  return for_float_type(call.input(1).dtype, [&](auto element) {
    using T = decltype(element);
    return direct_op(call, [elements](void* const* operands) {
      std::atomic<std::int32_t> found = 0;
      void* const* operand = operands;
      for (const std::int64_t count : elements) {
        const T* gradient = static_cast<const T*>(*++operand);
        parallel_for(count, 16 * 1024, [&found, gradient](std::int64_t first, std::int64_t last) {
          const bool finite =
              std::all_of(gradient + first, gradient + last, [](T g) { return std::isfinite(to_float(g)); });
          if (!finite) found = 1;
        });
      }
      auto* const overflow = static_cast<std::int32_t*>(operands[0]);
      overflow[0] = found;
      overflow[1] += found;
    });
  });
}
std::unique_ptr<OpImplementation> make_clip_norm(const ir::OpCall& call, ScratchArena& scratch) {
  return make_clip<false>(call, scratch);
}
std::unique_ptr<OpImplementation> make_clip_norm_scaled(const ir::OpCall& call, ScratchArena& scratch) {
  return make_clip<true>(call, scratch);
}
std::unique_ptr<OpImplementation> make_advance(const ir::OpCall& call, ScratchArena&) {
  return direct_op(call, [](void* const* operands) { ++*static_cast<std::int32_t*>(operands[0]); });
}

}  // namespace graphbench::host
