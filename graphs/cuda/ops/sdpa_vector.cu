// Computes sdpa with one query per block. Each group of lanes loads the query, sixteen bytes per lane, and
// loops over its keys with a running softmax. The results of groups, warps and splits are combined in a
// fixed order. The splits of a query are blocks of one cluster, whose first block combines their results. On
// GPUs without clusters, a second kernel combines them.
#include <cooperative_groups.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "graphs/cuda/ops/kernel_support.cuh"
#include "graphs/cuda/ops/sdpa.hpp"

namespace graphbench::cuda {
namespace {

constexpr int sdpa_warps_max = 8;
constexpr unsigned all_lanes = 0xffffffffu;

// Pointers come first, as KernelCall requires.
struct SdpaParameters {
  const void* q;
  const void* k;
  const void* v;
  void* out;
  float* partial;  // per split: {max, sum, value[head_dim]}; null with clusters
  std::int64_t queries;
  int heads;
  int tokens;
  int head_dim;
  int slots;
  int keys_per_split;
  int splits;
  bool causal;
  float scale_log2;  // log2(e) / sqrt(head_dim): softmax in base 2
};

// A partial softmax: `value` is the weighted sum and `sum` the total weight, both relative to `max`.
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

// Merges the states of two lanes whose indices differ in the bit `stride`. Both lanes get the result.
template <int Size>
__device__ __forceinline__ void merge_across(Running<Size>& state, int stride) {
  const float other_max = __shfl_xor_sync(all_lanes, state.max, stride);
  rescale(state, fmaxf(state.max, other_max));
  state.sum += __shfl_xor_sync(all_lanes, state.sum, stride);
#pragma unroll
  for (int i = 0; i < Size; ++i) state.value[i] += __shfl_xor_sync(all_lanes, state.value[i], stride);
}

// Adds `Unroll` keys of one group to the state. Keys from `limit` on have weight 0.
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
    score[u] = warp_reduce<Sum, Lanes>(dot);
    if (key + u * stride < limit) largest = fmaxf(largest, score[u]);
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

// Stores each warp's state in `states` and `values` [warps][head_dim]. A lane's elements begin at `first`.
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

constexpr int threads_many = 128;
constexpr int threads_few = 256;  // per block if each multiprocessor has at most `blocks_few` blocks
constexpr int blocks_few = 2;
constexpr int rounds_ahead = 2;  // rounds of keys to prefetch into the L2 cache
constexpr int clusters_max = 8;
static_assert(threads_few / 32 <= sdpa_warps_max);
// The number of keys that a group loads at a time. With many blocks it is five, so that registers limit
// a multiprocessor to four blocks: with five blocks, 2^n queries would fill the GPU unevenly.
constexpr int unroll_of(bool few) {
  return few ? 4 : 5;
}

template <class T>
__device__ __forceinline__ void store_result(const SdpaParameters& p, std::int64_t query, int d,
                                             float value) {
  const std::int64_t token = query % p.tokens;
  const std::int64_t head = query / p.tokens % p.heads;
  const std::int64_t sequence = query / p.tokens / p.heads;
  const std::int64_t row = sequence * p.tokens + token;
  static_cast<T*>(p.out)[(row * p.heads + head) * p.head_dim + d] = from_float<T>(value);
}

// Combines `splits` records {max, sum, value[head_dim]} in order.
template <class T>
__device__ __forceinline__ void combine_records(const SdpaParameters& p, const float* records,
                                                std::int64_t query) {
  const int record = p.head_dim + 2;
  float largest = sdpa_lowest;
  for (int s = 0; s < p.splits; ++s) largest = fmaxf(largest, records[s * record]);
  for (int d = static_cast<int>(threadIdx.x); d < p.head_dim; d += static_cast<int>(blockDim.x)) {
    float sum = 0.0f;
    float value = 0.0f;
    for (int s = 0; s < p.splits; ++s) {
      const float factor = exp2f(records[s * record] - largest);
      sum += records[s * record + 1] * factor;
      value += records[s * record + 2 + d] * factor;
    }
    store_result<T>(p, query, d, value / sum);
  }
}

struct Split {
  std::int64_t query;
  int index;
  int begin;
  int end;  // past the last key of the part that the query sees
};

__device__ __forceinline__ Split split_of(const SdpaParameters& p) {
  Split split{};
  split.query = blockIdx.x / static_cast<unsigned>(p.splits);
  split.index = static_cast<int>(blockIdx.x % static_cast<unsigned>(p.splits));
  const int visible = p.causal ? p.slots - p.tokens + static_cast<int>(split.query % p.tokens) + 1 : p.slots;
  split.begin = split.index * p.keys_per_split;
  split.end = min(split.begin + p.keys_per_split, visible);
  return split;
}

// Prefetches keys and values. Loads no register, so the preceding kernel may still write the same addresses.
template <class T>
__device__ __forceinline__ void prefetch_keys(const SdpaParameters& p, const Split& split, int first,
                                              int count) {
  constexpr std::int64_t line = 128 / sizeof(T);
  const std::int64_t sequence = split.query / p.tokens * p.slots;
  const std::int64_t end = (sequence + min(first + count, split.end)) * p.head_dim;
  for (std::int64_t at = (sequence + first) * p.head_dim + threadIdx.x * line; at < end;
       at += blockDim.x * line) {
    prefetch_l2(static_cast<const T*>(p.k) + at);
    prefetch_l2(static_cast<const T*>(p.v) + at);
  }
}

// `Few`: all blocks run at once, and each would wait for its first keys, so each block prefetches. With many
// blocks, other blocks run during a wait, and prefetching made the kernel 6 to 14 % slower.
template <class T, int Lanes, bool Few>
__global__ void __launch_bounds__(Few ? threads_few : threads_many)
    sdpa_vector_kernel(const SdpaParameters p) {
  using Vector = Vector16<T>;
  extern __shared__ float dynamic[];  // [warps][head_dim], then the records of a cluster
  __shared__ WarpStates warp_states;
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int groups = static_cast<int>(blockDim.x) / Lanes;
  const Split split = split_of(p);
  constexpr int unroll = unroll_of(Few);
  const int round = groups * unroll;
  if (Few) prefetch_keys<T>(p, split, split.begin, rounds_ahead * round);
  let_next_kernel_start();
#if __CUDA_ARCH__ >= 900
  const auto cluster = cooperative_groups::this_cluster();
  // The first block of the cluster must have started before other blocks write records to its memory.
  if (p.splits > 1) cluster.barrier_arrive();
#endif
  wait_for_kernels_ahead();
  const int group = static_cast<int>(threadIdx.x) / Lanes;
  const int first = static_cast<int>(threadIdx.x) % Lanes * Vector::size;
  const bool holds = first < p.head_dim;
  float q[Vector::size] = {};
  if (holds) {
    const Vector raw = load16(static_cast<const T*>(p.q) + split.query * p.head_dim + first);
#pragma unroll
    for (int i = 0; i < Vector::size; ++i) q[i] = to_float(raw.lane[i]) * p.scale_log2;
  }
  const std::int64_t cache = split.query / p.tokens * p.slots * p.head_dim + first;
  const T* k = static_cast<const T*>(p.k) + cache;
  const T* v = static_cast<const T*>(p.v) + cache;
  Running<Vector::size> state;
  for (int base = split.begin; base < split.end; base += round) {
    if (Few) prefetch_keys<T>(p, split, base + rounds_ahead * round, round);
    visit_keys<T, Lanes, unroll>(state, q, k, v, p.head_dim, base + group, groups, split.end, holds);
  }
  share_states<Lanes>(state, warp_states, dynamic, p.head_dim, first);
  const float largest = total_max(warp_states.max, warps);
  float sum = 0.0f;
  for (int w = 0; w < warps; ++w) sum += warp_states.sum[w] * exp2f(warp_states.max[w] - largest);
  float* record = nullptr;
  if (p.splits > 1) {
#if __CUDA_ARCH__ >= 900
    cluster.barrier_wait();
    record = cluster.map_shared_rank(dynamic + warps * p.head_dim, 0) + split.index * (p.head_dim + 2);
#else
    record = p.partial + std::int64_t{blockIdx.x} * (p.head_dim + 2);
#endif
  }
  for (int d = static_cast<int>(threadIdx.x); d < p.head_dim; d += static_cast<int>(blockDim.x)) {
    float value = 0.0f;
    for (int w = 0; w < warps; ++w)
      value += dynamic[w * p.head_dim + d] * exp2f(warp_states.max[w] - largest);
    if (p.splits == 1) {
      store_result<T>(p, split.query, d, value / sum);
    } else {
      record[2 + d] = value;
    }
  }
  if (p.splits == 1) return;
  if (threadIdx.x == 0) {
    record[0] = largest;
    record[1] = sum;
  }
#if __CUDA_ARCH__ >= 900
  cluster.sync();
  if (split.index == 0) combine_records<T>(p, dynamic + warps * p.head_dim, split.query);
#endif
}

template <class T>
__global__ void sdpa_combine_kernel(const SdpaParameters p) {
  const std::int64_t query = blockIdx.x;
  combine_records<T>(p, p.partial + query * p.splits * (p.head_dim + 2), query);
}

// The kernel whose group size is the first power of two that is at least `lanes`.
template <class T, bool Few, int Lanes = 1>
const void* vector_function(int lanes) {
  if constexpr (Lanes < 32) {
    if (lanes > Lanes) return vector_function<T, Few, 2 * Lanes>(lanes);
  }
  return reinterpret_cast<const void*>(&sdpa_vector_kernel<T, Lanes, Few>);
}

// Splits keys over as many blocks as can run at once, each with at least a full round of keys. In a cluster,
// the number of blocks per query must be a power of two.
SdpaParameters sdpa_parameters(const SdpaShape& shape, const OpContext& context, int keys_per_round) {
  SdpaParameters parameters{};
  parameters.queries = shape.batch * shape.heads * shape.tokens;
  parameters.heads = static_cast<int>(shape.heads);
  parameters.tokens = static_cast<int>(shape.tokens);
  parameters.head_dim = static_cast<int>(shape.head_dim);
  parameters.slots = static_cast<int>(shape.slots);
  parameters.causal = shape.causal;
  parameters.scale_log2 =
      static_cast<float>(1.4426950408889634 / std::sqrt(static_cast<double>(shape.head_dim)));
  const std::int64_t blocks = std::int64_t{blocks_few} * context.multiprocessors / parameters.queries;
  const std::int64_t rounds = (parameters.slots + keys_per_round - 1) / keys_per_round;
  const std::int64_t most = std::clamp<std::int64_t>(std::min(blocks, rounds), 1, clusters_max);
  parameters.splits = static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(most)));
  parameters.keys_per_split = (parameters.slots + parameters.splits - 1) / parameters.splits;
  return parameters;
}

}  // namespace

PreparedOp prepare_sdpa_vector(OpContext& context, const SdpaShape& shape, const ir::OpCall& call) {
  const ir::DType dtype = call.input(0).dtype;
  const std::int64_t per_lane = 16 / static_cast<std::int64_t>(ir::size_of(dtype));
  if (shape.head_dim % per_lane != 0 || shape.head_dim > 32 * per_lane) {
    refuse(call, "head_dim " + std::to_string(shape.head_dim) + " is not a multiple of " +
                     std::to_string(per_lane) + " up to " + std::to_string(32 * per_lane));
  }
  int lanes = 1;
  while (lanes * per_lane < shape.head_dim) lanes *= 2;
  const SdpaParameters parameters = sdpa_parameters(shape, context, threads_few / lanes * unroll_of(true));
  const bool split = parameters.splits > 1;
  const bool clusters = context.compute_major >= 9;
  PreparedOp prepared;
  void* partial = nullptr;
  const std::int64_t record_floats = split ? parameters.splits * (shape.head_dim + 2) : 0;
  if (split && !clusters) {
    GRAPHBENCH_ASSERT(static_cast<std::size_t>(parameters.queries * record_floats) * sizeof(float) <=
                      context.workspace_bytes);
    partial = context.workspace;
  }
  const auto sources = {operand_source(0), operand_source(1), operand_source(2), operand_source(3),
                        fixed_source(partial)};
  const bool few =
      parameters.queries * parameters.splits <= std::int64_t{blocks_few} * context.multiprocessors;
  const unsigned block = few ? threads_few : threads_many;
  const void* function = for_float_type(call, dtype, [&](auto e) {
    using T = decltype(e);
    return few ? vector_function<T, true>(lanes) : vector_function<T, false>(lanes);
  });
  const auto queries = static_cast<unsigned>(parameters.queries);
  KernelCall visit = kernel_call(function, dim3(queries * static_cast<unsigned>(parameters.splits)),
                                 dim3(block), parameters, sources);
  const std::int64_t floats = block / 32 * shape.head_dim + (clusters ? record_floats : 0);
  visit.shared_bytes = static_cast<unsigned>(floats) * static_cast<unsigned>(sizeof(float));
  if (clusters) visit.cluster_blocks = static_cast<unsigned>(parameters.splits);
  prepared.calls.emplace_back(visit);
  if (!split || clusters) return prepared;
  const void* combine = kernel_for(call, [](auto t) { return &sdpa_combine_kernel<decltype(t)>; });
  prepared.calls.emplace_back(
      kernel_call(combine, dim3(queries), dim3(threads_for(shape.head_dim, 256)), parameters, sources));
  return prepared;
}

}  // namespace graphbench::cuda
