// sdpa, one query a block. A group of lanes holds the query, sixteen bytes a lane, and goes over the
// keys with a running softmax; groups, warps and splits are combined in a fixed order.
#include <algorithm>

#include "graphs/cuda/ops/kernel_support.cuh"
#include "graphs/cuda/ops/sdpa.hpp"

namespace graphbench::cuda {
namespace {

constexpr int threads = 128;
constexpr int warps = threads / 32;
constexpr int unroll = 4;  // keys a group has in flight
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

// `unroll` keys of one group: their scores, then their values into the running sum. Keys at or past
// `limit` weigh nothing.
template <class T, int Lanes>
__device__ __forceinline__ void visit_keys(Running<Vector16<T>::size>& state, const float* q, const T* k,
                                           const T* v, std::int64_t row_elements, int key, int stride,
                                           int limit, bool holds) {
  using Vector = Vector16<T>;
  Vector keys[unroll];
  Vector values[unroll];
  float score[unroll];
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
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
  for (int u = 0; u < unroll; ++u) {
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
  for (int u = 0; u < unroll; ++u) {
    const float weight = key + u * stride < limit ? exp2f(score[u] - largest) : 0.0f;
    state.sum += weight;
#pragma unroll
    for (int i = 0; i < Vector::size; ++i) state.value[i] += weight * to_float(values[u].lane[i]);
  }
}

// Adds up the warps' states for the elements of one lane, in the order of the warps.
struct WarpStates {
  float max[warps];
  float sum[warps];
};

__device__ __forceinline__ float total_max(const float* max, int count) {
  float largest = sdpa_lowest;
  for (int i = 0; i < count; ++i) largest = fmaxf(largest, max[i]);
  return largest;
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

template <class T, int Lanes>
__global__ void __launch_bounds__(threads) sdpa_vector_kernel(const SdpaParameters p) {
  let_next_kernel_start();
  wait_for_kernels_ahead();
  using Vector = Vector16<T>;
  constexpr int groups = threads / Lanes;
  extern __shared__ float warp_values[];  // [warps][head_dim]
  __shared__ WarpStates warp_states;
  const std::int64_t query = blockIdx.x;
  const int split = static_cast<int>(blockIdx.y);
  const int group = static_cast<int>(threadIdx.x) / Lanes;
  const int first = static_cast<int>(threadIdx.x) % Lanes * Vector::size;
  const bool holds = first < p.head_dim;  // lanes past a head_dim that is no power of two hold nothing
  float q[Vector::size] = {};
  if (holds) {
    const Vector raw = load16(static_cast<const T*>(p.q) + query * p.head_dim + first);
#pragma unroll
    for (int i = 0; i < Vector::size; ++i) q[i] = to_float(raw.lane[i]) * p.scale_log2;
  }
  const std::int64_t cache = query / p.tokens * p.slots * p.head_dim + first;
  const T* k = static_cast<const T*>(p.k) + cache;
  const T* v = static_cast<const T*>(p.v) + cache;
  const int visible = p.causal ? p.slots - p.tokens + static_cast<int>(query % p.tokens) + 1 : p.slots;
  const int limit = min((split + 1) * p.keys_per_split, visible);
  Running<Vector::size> state;
  for (int base = split * p.keys_per_split; base < limit; base += groups * unroll) {
    visit_keys<T, Lanes>(state, q, k, v, p.head_dim, base + group, groups, limit, holds);
  }
#pragma unroll
  for (int stride = Lanes; stride < 32; stride *= 2) merge_across(state, stride);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) {
    warp_states.max[warp] = state.max;
    warp_states.sum[warp] = state.sum;
  }
  if (static_cast<int>(threadIdx.x) % 32 < Lanes && holds) {
#pragma unroll
    for (int i = 0; i < Vector::size; ++i) warp_values[warp * p.head_dim + first + i] = state.value[i];
  }
  __syncthreads();
  const float largest = total_max(warp_states.max, warps);
  float sum = 0.0f;
  for (int w = 0; w < warps; ++w) sum += warp_states.sum[w] * exp2f(warp_states.max[w] - largest);
  for (int d = static_cast<int>(threadIdx.x); d < p.head_dim; d += threads) {
    float value = 0.0f;
    for (int w = 0; w < warps; ++w)
      value += warp_values[w * p.head_dim + d] * exp2f(warp_states.max[w] - largest);
    if (p.splits == 1) {
      store_result<T>(p, query, d, value / sum);
    } else {
      p.partial[(query * p.splits + split) * (p.head_dim + 2) + 2 + d] = value;
    }
  }
  if (p.splits > 1 && threadIdx.x == 0) {
    p.partial[(query * p.splits + split) * (p.head_dim + 2)] = largest;
    p.partial[(query * p.splits + split) * (p.head_dim + 2) + 1] = sum;
  }
}

template <class T>
__global__ void sdpa_combine_kernel(const SdpaParameters p) {
  let_next_kernel_start();
  wait_for_kernels_ahead();
  const std::int64_t query = blockIdx.x;
  const int record = p.head_dim + 2;
  const float* partial = p.partial + query * p.splits * record;
  float largest = sdpa_lowest;
  for (int s = 0; s < p.splits; ++s) largest = fmaxf(largest, partial[s * record]);
  for (int d = static_cast<int>(threadIdx.x); d < p.head_dim; d += static_cast<int>(blockDim.x)) {
    float sum = 0.0f;
    float value = 0.0f;
    for (int s = 0; s < p.splits; ++s) {
      const float factor = exp2f(partial[s * record] - largest);
      sum += partial[s * record + 1] * factor;
      value += partial[s * record + 2 + d] * factor;
    }
    store_result<T>(p, query, d, value / sum);
  }
}

template <class T>
const void* vector_function(int lanes) {
  switch (lanes) {
    case 1:
      return reinterpret_cast<const void*>(&sdpa_vector_kernel<T, 1>);
    case 2:
      return reinterpret_cast<const void*>(&sdpa_vector_kernel<T, 2>);
    case 4:
      return reinterpret_cast<const void*>(&sdpa_vector_kernel<T, 4>);
    case 8:
      return reinterpret_cast<const void*>(&sdpa_vector_kernel<T, 8>);
    case 16:
      return reinterpret_cast<const void*>(&sdpa_vector_kernel<T, 16>);
    default:
      return reinterpret_cast<const void*>(&sdpa_vector_kernel<T, 32>);
  }
}

// Enough blocks for two on every multiprocessor, as long as each still has a full round of keys.
void split_keys(SdpaParameters& parameters, const OpContext& context, int keys_per_round) {
  const std::int64_t wanted = (2 * context.multiprocessors + parameters.queries - 1) / parameters.queries;
  const std::int64_t rounds = (parameters.slots + keys_per_round - 1) / keys_per_round;
  const std::int64_t splits = std::clamp<std::int64_t>(wanted, 1, rounds);
  const std::int64_t rounds_per_split = (rounds + splits - 1) / splits;
  parameters.keys_per_split = static_cast<int>(rounds_per_split * keys_per_round);
  parameters.splits = static_cast<int>((rounds + rounds_per_split - 1) / rounds_per_split);
}

}  // namespace

PreparedOp prepare_sdpa_vector(OpContext& context, const SdpaShape& shape, const ir::OpCall& call) {
  const ir::DType dtype = call.input(0).dtype;
  const std::int64_t per_lane = 16 / static_cast<std::int64_t>(ir::size_of(dtype));
  if (shape.head_dim % per_lane != 0 || shape.head_dim > 32 * per_lane) {
    refuse(call, "head_dim " + std::to_string(shape.head_dim) + " is no multiple of " +
                     std::to_string(per_lane) + " up to " + std::to_string(32 * per_lane));
  }
  int lanes = 1;
  while (lanes * per_lane < shape.head_dim) lanes *= 2;
  SdpaParameters parameters = sdpa_parameters(shape);
  split_keys(parameters, context, threads / lanes * unroll);
  PreparedOp prepared;
  void* partial = nullptr;
  if (parameters.splits > 1) {
    const std::int64_t floats = parameters.queries * parameters.splits * (shape.head_dim + 2);
    GRAPHBENCH_ASSERT(static_cast<std::size_t>(floats) * sizeof(float) <= context.workspace_bytes);
    partial = context.workspace;
  }
  const auto sources = {operand_source(0), operand_source(1), operand_source(2), operand_source(3),
                        fixed_source(partial)};
  const void* function =
      for_float_type(call, dtype, [&](auto e) { return vector_function<decltype(e)>(lanes); });
  const auto queries = static_cast<unsigned>(parameters.queries);
  KernelCall visit = kernel_call(function, dim3(queries, static_cast<unsigned>(parameters.splits)),
                                 dim3(threads), parameters, sources, call.op->name.c_str());
  visit.shared_bytes = static_cast<unsigned>(warps * shape.head_dim) * static_cast<unsigned>(sizeof(float));
  prepared.calls.emplace_back(visit);
  if (parameters.splits == 1) return prepared;
  const void* combine = for_float_type(call, dtype, [](auto element) {
    return reinterpret_cast<const void*>(&sdpa_combine_kernel<decltype(element)>);
  });
  prepared.calls.emplace_back(kernel_call(combine, dim3(queries), dim3(threads_for(shape.head_dim, 256)),
                                          parameters, sources, call.op->name.c_str()));
  return prepared;
}

}  // namespace graphbench::cuda
