// Elementwise ops (add, bias_add, relu, gelu_tanh) and the gradients of relu and gelu_tanh. A thread handles
// sixteen bytes if the size allows it.
#include <type_traits>

#include "graphs/cuda/ops/kernel_support.cuh"

namespace graphbench::cuda {
namespace {

struct ElementwiseParameters {
  const void* a;
  const void* b;
  void* y;
  std::int64_t elements;
  std::int64_t columns;  // columns of b, if b is one row for all rows of a
};

struct Add {
  __device__ __forceinline__ static float apply(float a, float b) { return Sum::combine(a, b); }
};
struct AddBias : Add {};
struct Relu {
  __device__ __forceinline__ static float apply(float a, float) { return relu(a); }
};
struct GeluTanh {
  __device__ __forceinline__ static float apply(float a, float) { return gelu_tanh(a); }
};

// Inputs of a gradient: dy, and the output (relu) or input (gelu_tanh) of the forward op.
struct ReluGrad {
  __device__ __forceinline__ static float apply(float dy, float y) { return y > 0.0f ? dy : 0.0f; }
};
struct GeluTanhGrad {
  __device__ __forceinline__ static float apply(float dy, float x) { return dy * gelu_tanh_slope(x); }
};

template <class Operation>
__device__ __forceinline__ std::int64_t place_of_b(const ElementwiseParameters& p, std::int64_t at) {
  return std::is_same_v<Operation, AddBias> ? at % p.columns : at;
}

template <class T, class Operation>
__global__ void elementwise_vector(const ElementwiseParameters p) {
  take_turn();
  using Vector = Vector16<T>;
  const std::int64_t at = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * Vector::size;
  if (at >= p.elements) return;
  const Vector a = load16(static_cast<const T*>(p.a) + at);
  const Vector b = load16(static_cast<const T*>(p.b) + place_of_b<Operation>(p, at));
  Vector y;
#pragma unroll
  for (int i = 0; i < Vector::size; ++i) {
    y.lane[i] = from_float<T>(Operation::apply(to_float(a.lane[i]), to_float(b.lane[i])));
  }
  store16(static_cast<T*>(p.y) + at, y);
}

template <class T, class Operation>
__global__ void elementwise_scalar(const ElementwiseParameters p) {
  take_turn();
  const std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= p.elements) return;
  const float a = to_float(static_cast<const T*>(p.a)[at]);
  const float b = to_float(static_cast<const T*>(p.b)[place_of_b<Operation>(p, at)]);
  static_cast<T*>(p.y)[at] = from_float<T>(Operation::apply(a, b));
}

// An operation with one input reads it as `a`, and again (cached) as `b`, so that one kernel serves them all.
template <class Operation>
PreparedOp prepare_elementwise(const ir::OpCall& call, std::size_t second_input) {
  constexpr unsigned threads = 256;
  const ir::DType dtype = call.input(0).dtype;
  const std::int64_t elements = call.input(0).elements();
  const std::int64_t per_vector = 16 / static_cast<std::int64_t>(ir::size_of(dtype));
  const std::int64_t columns = call.input(0).dims.back();
  const bool vector = (std::is_same_v<Operation, AddBias> ? columns : elements) % per_vector == 0;
  const void* function = kernel_for(call, [&](auto element) {
    using T = decltype(element);
    return vector ? &elementwise_vector<T, Operation> : &elementwise_scalar<T, Operation>;
  });
  return one_launch(
      kernel_call(function, dim3(blocks_for(elements, threads * (vector ? per_vector : 1))), dim3(threads),
                  ElementwiseParameters{nullptr, nullptr, nullptr, elements, columns},
                  {operand_source(0), operand_source(second_input), operand_source(call.input_count)}),
      0);
}

}  // namespace

PreparedOp prepare_add(OpContext&, const ir::OpCall& call) {
  return prepare_elementwise<Add>(call, 1);
}
PreparedOp prepare_bias_add(OpContext&, const ir::OpCall& call) {
  return prepare_elementwise<AddBias>(call, 1);
}
PreparedOp prepare_relu(OpContext&, const ir::OpCall& call) {
  return prepare_elementwise<Relu>(call, 0);
}
PreparedOp prepare_gelu_tanh(OpContext&, const ir::OpCall& call) {
  return prepare_elementwise<GeluTanh>(call, 0);
}
PreparedOp prepare_relu_grad(OpContext&, const ir::OpCall& call) {
  return prepare_elementwise<ReluGrad>(call, 1);
}
PreparedOp prepare_gelu_tanh_grad(OpContext&, const ir::OpCall& call) {
  return prepare_elementwise<GeluTanhGrad>(call, 1);
}

}  // namespace graphbench::cuda
