// Elementwise ops (add, bias_add, relu, gelu_tanh) and gradients read each element once and compute in fp32.
#include <cmath>

#include "graphs/host/ops/direct_op.hpp"

namespace graphbench::host {
namespace {

constexpr std::int64_t elements_a_thread = 16 * 1024;  // with fewer, a thread costs more than it saves

struct Add {
  static float apply(float a, float b) { return a + b; }
};
struct Relu {
  static float apply(float a, float) { return a > 0.0f ? a : 0.0f; }
};
struct GeluTanh {
  static float apply(float x, float) {
    constexpr float root_two_over_pi = 0.7978845608028654f;
    return 0.5f * x * (1.0f + std::tanh(root_two_over_pi * (x + 0.044715f * x * x * x)));
  }
};
struct ReluGrad {
  static float apply(float dy, float y) { return y > 0.0f ? dy : 0.0f; }
};
struct GeluTanhGrad {
  static float apply(float dy, float x) {
    constexpr float root_two_over_pi = 0.7978845608028654f;
    const float t = std::tanh(root_two_over_pi * (x + 0.044715f * x * x * x));
    const float slope = root_two_over_pi * (1.0f + 3.0f * 0.044715f * x * x);
    return dy * (0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * slope);
  }
};

// out[i] depends only on a[i] and b[i], so operands may be the same memory, but must not overlap in part.
template <typename Function>
std::unique_ptr<OpImplementation> make_elementwise(const ir::OpCall& call) {
  const std::int64_t elements = call.output(0).elements();
  const bool binary = call.input_count == 2;
  return for_float_type(call.output(0).dtype, [&](auto element) {
    using T = decltype(element);
    const auto compute = [elements, binary](void* const* operands) {
      const T* a = static_cast<const T*>(operands[0]);
      const T* b = binary ? static_cast<const T*>(operands[1]) : a;
      T* out = static_cast<T*>(operands[binary ? 2 : 1]);
      parallel_for(elements, elements_a_thread, [=](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
          out[i] = from_float<T>(Function::apply(to_float(a[i]), to_float(b[i])));
        }
      });
    };
    return direct_op(call, compute, 0);
  });
}

}  // namespace

std::unique_ptr<OpImplementation> make_add(const ir::OpCall& call, ScratchArena&) {
  return make_elementwise<Add>(call);
}
std::unique_ptr<OpImplementation> make_bias_add(const ir::OpCall& call, ScratchArena&) {
  const std::int64_t columns = call.input(1).elements(), rows = call.input(0).elements() / columns;
  return for_float_type(call.output(0).dtype, [&](auto element) {
    using T = decltype(element);
    const auto compute = [columns, rows](void* const* operands) {
      const T* bias = static_cast<const T*>(operands[1]);
      parallel_for(rows, 1 + elements_a_thread / columns, [=](std::int64_t first, std::int64_t last) {
        for (std::int64_t r = first; r < last; ++r) {
          const T* x = static_cast<const T*>(operands[0]) + r * columns;
          T* y = static_cast<T*>(operands[2]) + r * columns;
          for (std::int64_t c = 0; c < columns; ++c) y[c] = from_float<T>(to_float(x[c]) + to_float(bias[c]));
        }
      });
    };
    return direct_op(call, compute, 0);
  });
}
std::unique_ptr<OpImplementation> make_relu(const ir::OpCall& call, ScratchArena&) {
  return make_elementwise<Relu>(call);
}
std::unique_ptr<OpImplementation> make_gelu_tanh(const ir::OpCall& call, ScratchArena&) {
  return make_elementwise<GeluTanh>(call);
}
std::unique_ptr<OpImplementation> make_relu_grad(const ir::OpCall& call, ScratchArena&) {
  return make_elementwise<ReluGrad>(call);
}
std::unique_ptr<OpImplementation> make_gelu_tanh_grad(const ir::OpCall& call, ScratchArena&) {
  return make_elementwise<GeluTanhGrad>(call);
}

}  // namespace graphbench::host
