// add, bias_add, relu, gelu_tanh and their gradients: one pass over contiguous elements, arithmetic in fp32.
#include <cmath>

#include "graphs/host/bfloat16.hpp"
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"
#include "graphs/host/ops/parallel.hpp"

namespace graphbench::host {
namespace {

constexpr std::int64_t elements_a_thread = 16 * 1024;  // below, a second thread costs more than it saves

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

// The operands may be the same memory, never partly overlapping: element i depends on elements i only.
template <typename T, typename Function>
class Elementwise final : public DirectOp {
 public:
  Elementwise(std::int64_t elements, bool binary)
      : DirectOp(binary ? 3 : 2), elements_(elements), binary_(binary) {}

  std::optional<std::size_t> in_place_input() const override { return 0; }

 protected:
  void compute(void* const* operands) override {
    const T* a = static_cast<const T*>(operands[0]);
    const T* b = binary_ ? static_cast<const T*>(operands[1]) : a;
    T* out = static_cast<T*>(operands[binary_ ? 2 : 1]);
    parallel_for(elements_, elements_a_thread, [=](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        out[i] = from_float<T>(Function::apply(to_float(a[i]), to_float(b[i])));
      }
    });
  }

 private:
  std::int64_t elements_;
  bool binary_;
};

template <typename T>
class BiasAdd final : public DirectOp {
 public:
  explicit BiasAdd(const ir::OpCall& call)
      : DirectOp(3), columns_(call.input(1).elements()), rows_(call.input(0).elements() / columns_) {}

  std::optional<std::size_t> in_place_input() const override { return 0; }

 protected:
  void compute(void* const* operands) override {
    const T* bias = static_cast<const T*>(operands[1]);
    parallel_for(rows_, 1 + elements_a_thread / columns_, [=, this](std::int64_t first, std::int64_t last) {
      for (std::int64_t r = first; r < last; ++r) {
        const T* x = static_cast<const T*>(operands[0]) + r * columns_;
        T* y = static_cast<T*>(operands[2]) + r * columns_;
        for (std::int64_t c = 0; c < columns_; ++c) y[c] = from_float<T>(to_float(x[c]) + to_float(bias[c]));
      }
    });
  }

 private:
  std::int64_t columns_;
  std::int64_t rows_;
};

template <typename Function>
std::unique_ptr<OpImplementation> make(const ir::OpCall& call) {
  const std::int64_t elements = call.output(0).elements();
  const bool binary = call.input_count == 2;
  if (call.output(0).dtype == ir::DType::bf16) {
    return std::make_unique<Elementwise<BFloat16, Function>>(elements, binary);
  }
  return std::make_unique<Elementwise<float, Function>>(elements, binary);
}

}  // namespace

std::unique_ptr<OpImplementation> make_add(const ir::OpCall& call, ScratchArena&) {
  return make<Add>(call);
}
std::unique_ptr<OpImplementation> make_bias_add(const ir::OpCall& call, ScratchArena&) {
  if (call.output(0).dtype == ir::DType::bf16) return std::make_unique<BiasAdd<BFloat16>>(call);
  return std::make_unique<BiasAdd<float>>(call);
}
std::unique_ptr<OpImplementation> make_relu(const ir::OpCall& call, ScratchArena&) {
  return make<Relu>(call);
}
std::unique_ptr<OpImplementation> make_gelu_tanh(const ir::OpCall& call, ScratchArena&) {
  return make<GeluTanh>(call);
}
std::unique_ptr<OpImplementation> make_relu_grad(const ir::OpCall& call, ScratchArena&) {
  return make<ReluGrad>(call);
}
std::unique_ptr<OpImplementation> make_gelu_tanh_grad(const ir::OpCall& call, ScratchArena&) {
  return make<GeluTanhGrad>(call);
}

}  // namespace graphbench::host
