// dropout: a thread has sixteen bytes, and of every four elements one block of random words; or, of a size
// that does not divide, one element.
#include "graphs/cuda/ops/kernel_support.cuh"
#include "graphs/ir/philox.hpp"

namespace graphbench::cuda {
namespace {

struct DropoutParameters {
  const void* x;
  const std::int32_t* count;
  void* y;
  std::int64_t elements;
  ir::DropoutRule rule;
};

template <class T>
__global__ void dropout_vector(const DropoutParameters p) {
  take_turn();
  using Vector = Vector16<T>;
  const std::int64_t at = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * Vector::size;
  if (at >= p.elements) return;
  const std::int32_t count = *p.count;
  Vector vector = load16(static_cast<const T*>(p.x) + at);
#pragma unroll
  for (int four = 0; four < Vector::size / 4; ++four) {
    const ir::FourWords words = p.rule.words(at / 4 + four, count);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      T& lane = vector.lane[4 * four + i];
      lane = from_float<T>(p.rule.apply(to_float(lane), words.word[i]));
    }
  }
  store16(static_cast<T*>(p.y) + at, vector);
}

template <class T>
__global__ void dropout_scalar(const DropoutParameters p) {
  take_turn();
  const std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= p.elements) return;
  const ir::FourWords words = p.rule.words(at / 4, *p.count);
  static_cast<T*>(p.y)[at] =
      from_float<T>(p.rule.apply(to_float(static_cast<const T*>(p.x)[at]), words.word[at % 4]));
}

}  // namespace

PreparedOp prepare_dropout(OpContext&, const ir::OpCall& call) {
  constexpr unsigned threads = 256;
  const ir::DType dtype = call.input(0).dtype;
  const std::int64_t elements = call.input(0).elements();
  const std::int64_t per_vector = 16 / static_cast<std::int64_t>(ir::size_of(dtype));
  const bool vector = elements % per_vector == 0;
  const void* function = kernel_for(call, dtype, [&](auto element) {
    using T = decltype(element);
    return vector ? &dropout_vector<T> : &dropout_scalar<T>;
  });
  return one_launch(
      kernel_call(function, dim3(blocks_for(elements, threads * (vector ? per_vector : 1))), dim3(threads),
                  DropoutParameters{
                      .elements = elements,
                      .rule = {ir::real_attribute(*call.op, "p"), ir::integer_attribute(*call.op, "stream")}},
                  {operand_source(0), operand_source(1), operand_source(2)}),
      0);
}

}  // namespace graphbench::cuda
