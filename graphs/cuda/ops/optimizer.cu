// Optimizers: one kernel updates up to eighty parameters, whose addresses are launch arguments. Another
// kernel counts the steps.
#include <algorithm>
#include <vector>

#include "graphs/cuda/ops/kernel_support.cuh"

namespace graphbench::cuda {
namespace {

constexpr std::size_t parameters_max = 80;  // per launch: arguments take at most 4 KB
constexpr unsigned optimizer_threads = 256;
constexpr int rounds = 4;  // a thread handles sixteen bytes per round

// Operands: `ahead` shared values, then `group` values per parameter (itself, its gradient and its state).
struct Sgd {
  static constexpr std::size_t ahead = 1;
  static constexpr std::size_t group = 3;
  float momentum;
  float decay;

  struct Step {
    float rate;
  };
  __device__ Step begin(void* const* values) const { return {*static_cast<const float*>(values[0])}; }
  __device__ __forceinline__ void update(const Step& step, float (&value)[group]) const {
    value[2] = momentum * value[2] + (value[1] + decay * value[0]);
    value[0] -= step.rate * value[2];
  }
};

// Every block computes powers this way, because pow() takes longer than the block's memory traffic.
__device__ __forceinline__ double power(double base, std::int32_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    if (exponent % 2 != 0) result *= base;
  }
  return result;
}

struct AdamW {
  static constexpr std::size_t ahead = 2;
  static constexpr std::size_t group = 4;
  double beta1;
  double beta2;
  float epsilon;
  float decay;

  struct Step {
    float size, shrink, root, keep1, take1, keep2, take2;
  };
  __device__ Step begin(void* const* values) const {
    const std::int32_t count = *static_cast<const std::int32_t*>(values[0]);
    const float rate = *static_cast<const float*>(values[1]);
    return {rate / static_cast<float>(1 - power(beta1, count)),
            1.0f - rate * decay,
            rsqrtf(static_cast<float>(1 - power(beta2, count))),
            static_cast<float>(beta1),
            static_cast<float>(1 - beta1),
            static_cast<float>(beta2),
            static_cast<float>(1 - beta2)};
  }
  __device__ __forceinline__ void update(const Step& step, float (&value)[group]) const {
    // Explicitly fused, so that the compiler does not choose which product to fuse.
    const float gradient = value[1];
    value[2] = __fmaf_rn(step.keep1, value[2], __fmul_rn(step.take1, gradient));
    value[3] = __fmaf_rn(step.keep2, value[3], __fmul_rn(__fmul_rn(step.take2, gradient), gradient));
    // Divides only once, and approximately: three exact divisions would take longer than the memory traffic.
    const float direction = __fdividef(value[2], __fmaf_rn(sqrtf(value[3]), step.root, epsilon));
    value[0] = __fmaf_rn(value[0], step.shrink, -__fmul_rn(step.size, direction));
  }
};

template <class Rule>
struct OptimizerParameters {
  void* ahead[Rule::ahead];
  void* values[parameters_max][Rule::group];
  std::int64_t elements[parameters_max];
  unsigned blocks_end[parameters_max];  // [i] is the number of blocks of parameters 0 to i
  Rule rule;
};

template <class T, class Rule>
__device__ __forceinline__ T* values_at(const OptimizerParameters<Rule>& p, unsigned which, std::size_t k,
                                        std::int64_t at) {
  return static_cast<T*>(p.values[which][k]) + at;
}

// Updates the elements after a parameter's last whole vector. This is a function of its own, because the
// compiler keeps a vector in registers only if all its indices are constants.
template <class T, class Rule>
__device__ void update_rest(const OptimizerParameters<Rule>& p, unsigned which, std::int64_t at,
                            std::int64_t end, const typename Rule::Step& step) {
  for (; at < end; ++at) {
    float value[Rule::group];
#pragma unroll
    for (std::size_t k = 0; k < Rule::group; ++k) value[k] = to_float(*values_at<T>(p, which, k, at));
    p.rule.update(step, value);
#pragma unroll
    for (std::size_t k = 0; k < Rule::group; ++k) {
      if (k != 1) *values_at<T>(p, which, k, at) = from_float<T>(value[k]);  // the gradient is read-only
    }
  }
}

template <class T, class Rule>
__device__ __forceinline__ void update_vector(const OptimizerParameters<Rule>& p, unsigned which,
                                              std::int64_t at, const typename Rule::Step& step) {
  using Vector = Vector16<T>;
  if (at + Vector::size > p.elements[which]) return update_rest<T>(p, which, at, p.elements[which], step);
  Vector vectors[Rule::group];
#pragma unroll
  for (std::size_t k = 0; k < Rule::group; ++k) vectors[k] = load16(values_at<T>(p, which, k, at));
#pragma unroll
  for (int i = 0; i < Vector::size; ++i) {
    float value[Rule::group];
#pragma unroll
    for (std::size_t k = 0; k < Rule::group; ++k) value[k] = to_float(vectors[k].lane[i]);
    p.rule.update(step, value);
#pragma unroll
    for (std::size_t k = 0; k < Rule::group; ++k) vectors[k].lane[i] = from_float<T>(value[k]);
  }
#pragma unroll
  for (std::size_t k = 0; k < Rule::group; ++k) {
    if (k != 1) store16(values_at<T>(p, which, k, at), vectors[k]);
  }
}

template <class T, class Rule>
__global__ void optimizer_kernel(const __grid_constant__ OptimizerParameters<Rule> p) {
  take_turn();
  __shared__ typename Rule::Step shared;
  if (threadIdx.x == 0) shared = p.rule.begin(p.ahead);
  __syncthreads();
  const typename Rule::Step step = shared;
  unsigned which = 0;
  while (blockIdx.x >= p.blocks_end[which]) ++which;
  const unsigned block = blockIdx.x - (which == 0 ? 0 : p.blocks_end[which - 1]);
#pragma unroll
  for (int round = 0; round < rounds; ++round)
    update_vector<T>(
        p, which,
        ((std::int64_t{block} * rounds + round) * optimizer_threads + threadIdx.x) * Vector16<T>::size, step);
}

template <class Rule>
PreparedOp prepare_optimizer(const ir::OpCall& call, const Rule& rule) {
  const ir::DType dtype = call.input(Rule::ahead).dtype;
  const std::int64_t per_block =
      rounds * optimizer_threads * (16 / static_cast<std::int64_t>(ir::size_of(dtype)));
  const void* function = kernel_for(
      call, [](auto t) { return &optimizer_kernel<decltype(t), Rule>; }, Rule::ahead);
  PreparedOp prepared;
  for (std::size_t first = Rule::ahead; first < call.input_count; first += parameters_max * Rule::group) {
    const std::size_t last = std::min(first + parameters_max * Rule::group, call.input_count);
    OptimizerParameters<Rule> parameters{};
    parameters.rule = rule;
    std::vector<Source> pointers;
    for (std::size_t i = 0; i < Rule::ahead; ++i) pointers.push_back(operand_source(i));
    for (std::size_t i = first; i < last; ++i) pointers.push_back(operand_source(i));
    unsigned blocks = 0;
    for (std::size_t i = first; i < last; i += Rule::group) {
      const std::size_t which = (i - first) / Rule::group;
      parameters.elements[which] = call.input(i).elements();
      blocks += blocks_for(call.input(i).elements(), per_block);
      parameters.blocks_end[which] = blocks;
    }
    prepared.calls.push_back(
        long_kernel_call(function, dim3(blocks), dim3(optimizer_threads), parameters, std::move(pointers)));
  }
  return prepared;
}

struct AdvanceParameters {
  std::int32_t* count;
};

__global__ void advance_kernel(const AdvanceParameters p) {
  take_turn();
  ++*p.count;
}

float real(const ir::OpCall& call, const char* name) {
  return static_cast<float>(ir::real_attribute(*call.op, name));
}

}  // namespace

PreparedOp prepare_advance(OpContext&, const ir::OpCall&) {
  return one_launch(kernel_call(reinterpret_cast<const void*>(&advance_kernel), dim3(1), dim3(1),
                                AdvanceParameters{nullptr}, {operand_source(0)}));
}
PreparedOp prepare_sgd(OpContext&, const ir::OpCall& call) {
  return prepare_optimizer(call, Sgd{real(call, "momentum"), real(call, "weight_decay")});
}
PreparedOp prepare_adamw(OpContext&, const ir::OpCall& call) {
  return prepare_optimizer(call,
                           AdamW{ir::real_attribute(*call.op, "beta1"), ir::real_attribute(*call.op, "beta2"),
                                 real(call, "eps"), real(call, "weight_decay")});
}

}  // namespace graphbench::cuda
