// A softmax-weighted sum over keys that a group of lanes goes through, and how lanes and warps add theirs.
#pragma once

#include "graphs/cuda/ops/kernel_support.cuh"
#include "graphs/cuda/ops/sdpa.hpp"

namespace graphbench::cuda {

constexpr int sdpa_warps_max = 8;
constexpr unsigned all_lanes = 0xffffffffu;

// A softmax-weighted sum so far: relative to `max`, of total weight `sum`.
template <int Size>
struct Running {
  float max = sdpa_lowest;
  float sum = 0.0f;
  float value[Size] = {};
};

template <int Size>
__device__ __forceinline__ void rescale(Running<Size>& state, float max) {
  const float factor = exp2f(state.max - max);
  state.max = max;
  state.sum *= factor;
#pragma unroll
  for (int i = 0; i < Size; ++i) state.value[i] *= factor;
}

// Every lane ends with the sum over the lanes whose index differs in `stride`.
template <int Size>
__device__ __forceinline__ void merge_across(Running<Size>& state, int stride) {
  const float other_max = __shfl_xor_sync(all_lanes, state.max, stride);
  rescale(state, fmaxf(state.max, other_max));
  state.sum += __shfl_xor_sync(all_lanes, state.sum, stride);
#pragma unroll
  for (int i = 0; i < Size; ++i) state.value[i] += __shfl_xor_sync(all_lanes, state.value[i], stride);
}

// `Unroll` keys of one group: their scores, then their values into the running sum. Keys at or past
// `limit` weigh nothing.
template <class T, int Lanes, int Unroll>
__device__ __forceinline__ void visit_keys(Running<Vector16<T>::size>& state, const float* q, const T* k,
                                           const T* v, std::int64_t row_elements, int key, int stride,
                                           int limit, bool holds) {
  using Vector = Vector16<T>;
  Vector keys[Unroll];
  Vector values[Unroll];
  float score[Unroll];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const int at = key + u * stride;
    keys[u] = Vector{};
    values[u] = Vector{};
    if (at < limit && holds) {
      keys[u] = load16(k + at * row_elements);
      values[u] = load16(v + at * row_elements);
    }
  }
  float largest = state.max;
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    float dot = 0.0f;
#pragma unroll
    for (int i = 0; i < Vector::size; ++i) dot += q[i] * to_float(keys[u].lane[i]);
#pragma unroll
    for (int offset = Lanes / 2; offset > 0; offset /= 2) dot += __shfl_xor_sync(all_lanes, dot, offset);
    score[u] = dot;
    if (key + u * stride < limit) largest = fmaxf(largest, dot);
  }
  rescale(state, largest);
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const float weight = key + u * stride < limit ? exp2f(score[u] - largest) : 0.0f;
    state.sum += weight;
#pragma unroll
    for (int i = 0; i < Vector::size; ++i) state.value[i] += weight * to_float(values[u].lane[i]);
  }
}

struct WarpStates {
  float max[sdpa_warps_max];
  float sum[sdpa_warps_max];
};

__device__ __forceinline__ float total_max(const float* max, int count) {
  float largest = sdpa_lowest;
  for (int i = 0; i < count; ++i) largest = fmaxf(largest, max[i]);
  return largest;
}

// Leaves each warp's state in `states` and `values` [warps][head_dim]; a lane has the elements from `first`
// on.
template <int Lanes, int Size>
__device__ __forceinline__ void share_states(Running<Size>& state, WarpStates& states, float* values,
                                             int head_dim, int first) {
#pragma unroll
  for (int stride = Lanes; stride < 32; stride *= 2) merge_across(state, stride);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) {
    states.max[warp] = state.max;
    states.sum[warp] = state.sum;
  }
  if (static_cast<int>(threadIdx.x) % 32 < Lanes && first < head_dim) {
#pragma unroll
    for (int i = 0; i < Size; ++i) values[warp * head_dim + first + i] = state.value[i];
  }
  __syncthreads();
}

}  // namespace graphbench::cuda
