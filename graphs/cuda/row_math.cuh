// Arithmetic that several kernels share. Each operation says how it rounds, so that the bits are the same
// whatever a compiler contracts.
#pragma once

namespace graphbench::cuda {

// Programmatic dependent launch. Every kernel says at its start that the next one may be put on the
// device, and waits for those ahead before it touches anything that a step writes; waiting also where
// nothing is left to do keeps the order transitive. On older GPUs both do nothing.
__device__ __forceinline__ void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
__device__ __forceinline__ void wait_for_kernels_ahead() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Both reductions add in a fixed order, so that every run gives the same bits.
struct Sum {
  static constexpr float identity = 0.0f;
  __device__ __forceinline__ static float combine(float a, float b) { return __fadd_rn(a, b); }
};
struct Max {
  static constexpr float identity = -3.402823466e38f;
  __device__ __forceinline__ static float combine(float a, float b) { return fmaxf(a, b); }
};

// Over the whole block (a multiple of 32 threads, at most 1024); every thread gets the result.
template <class Operation>
__device__ __forceinline__ float block_reduce(float value) {
  __shared__ float partial[32];
  for (int offset = 16; offset > 0; offset /= 2) {
    value = Operation::combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = lane < warps ? partial[lane] : Operation::identity;
  for (int offset = 16; offset > 0; offset /= 2) {
    value = Operation::combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  __syncthreads();  // `partial` may be used again at once
  return value;
}

__device__ __forceinline__ float sum_of(float a, float b) {
  return __fadd_rn(a, b);
}
__device__ __forceinline__ float relu(float x) {
  return fmaxf(x, 0.0f);
}

// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
__device__ __forceinline__ float gelu_tanh(float x) {
  const float cubed = __fmul_rn(__fmul_rn(0.044715f, x), x);
  const float t = tanhf(__fmul_rn(0.7978845608028654f, __fmaf_rn(cubed, x, x)));
  return __fmul_rn(__fmul_rn(0.5f, x), __fadd_rn(1.0f, t));
}

// rmsnorm: the sum of squares so far and one more, the scale of a row, and an element of it.
__device__ __forceinline__ float add_square(float squares, float x) {
  return __fmaf_rn(x, x, squares);
}
__device__ __forceinline__ float norm_scale(float squares, float columns, float eps) {
  return rsqrtf(__fadd_rn(__fdiv_rn(squares, columns), eps));
}
__device__ __forceinline__ float normed(float x, float scale, float gamma) {
  return __fmul_rn(__fmul_rn(x, scale), gamma);
}

// rope: element i of a head, and element i + half, turned; and the frequency of i.
struct Pair {
  float low;
  float high;
};
__device__ __forceinline__ Pair rotated(Pair pair, float2 turn) {
  return {__fmaf_rn(pair.low, turn.x, -__fmul_rn(pair.high, turn.y)),
          __fmaf_rn(pair.high, turn.x, __fmul_rn(pair.low, turn.y))};
}
__device__ __forceinline__ double rope_frequency(int i, int head_dim, double log2_theta) {
  return exp2(__dmul_rn(__ddiv_rn(-2.0 * i, head_dim), log2_theta));
}
// Cosine and sine. The angle in fp64, reduced to one turn: in fp32 a position of some thousands costs
// four digits.
__device__ __forceinline__ float2 turn_of(int position, double frequency) {
  constexpr double turn = 6.283185307179586476925;
  const double angle = __dmul_rn(position, frequency);
  const float reduced = static_cast<float>(__fma_rn(-turn, floor(__ddiv_rn(angle, turn)), angle));
  return make_float2(cosf(reduced), sinf(reduced));
}

}  // namespace graphbench::cuda
