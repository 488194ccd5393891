// The gradient of sdpa on the tensor cores: as sdpa_grad.cu has it, with products of 16-bit operands.
// Probabilities and slopes are rounded for them, as OPS.md allows; what is summed is fp32.
#include "graphs/cuda/ops/sdpa_grad.cuh"
#include "graphs/cuda/ops/sdpa_mma.cuh"

namespace graphbench::cuda {
namespace {

constexpr int D = 64;

// Sums of the four lanes that share the two rows of a lane.
__device__ __forceinline__ float row_sum(float value) {
  value += __shfl_xor_sync(0xffffffffu, value, 1);
  return value + __shfl_xor_sync(0xffffffffu, value, 2);
}

template <class T>
__device__ __forceinline__ float dot(std::uint32_t a, std::uint32_t b) {
  const T* const x = reinterpret_cast<const T*>(&a);
  const T* const y = reinterpret_cast<const T*>(&b);
  return to_float(x[0]) * to_float(y[0]) + to_float(x[1]) * to_float(y[1]);
}

template <class T>
__device__ __forceinline__ void store_rows(T* to, const float (&sum)[D / 8][4], int first, int count,
                                           float scale) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int row = first + lane / 4 + r * 8;
    if (row >= count) continue;
#pragma unroll
    for (int n = 0; n < D / 8; ++n)
      *reinterpret_cast<std::uint32_t*>(to + std::int64_t{row} * D + n * 8 + lane % 4 * 2) =
          pack(from_float<T>(sum[n][2 * r] * scale), from_float<T>(sum[n][2 * r + 1] * scale));
  }
}

// Of a lane's two queries: log2 of the sum of the scores' powers of 2, over the keys before `end`.
template <class T>
__device__ __forceinline__ void find_norms(float (&norm)[2], const SdpaGradParameters& p, Tile<T, D>& keys,
                                           const T* k, const std::uint32_t (&q)[D / 16][4],
                                           const int (&visible)[2], int end) {
  float s[8][4];
  RowState rows[2];
  for (int key = 0; key < end; key += mma_tile) {
    __syncthreads();
    load_tile<T, D>(keys, k, D, key, p.slots);
    __syncthreads();
    scores<T, D>(s, keys, q, key, visible, scale_log2(p));
    weigh(s, rows[0], 0);
    weigh(s, rows[1], 1);
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) norm[r] = rows[r].max + log2f(row_sum(rows[r].sum));
}

template <class T>
__global__ void __launch_bounds__(mma_threads) sdpa_grad_queries_tensor(const SdpaGradParameters p) {
  take_turn();
  __shared__ __align__(16) Tile<T, D> keys;
  __shared__ __align__(16) Tile<T, D> values;
  const SdpaRows own = sdpa_rows(p.tokens, mma_tile);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first = own.first + static_cast<int>(threadIdx.x) / 32 * 16;
  const std::int64_t output_stride = std::int64_t{p.heads} * D;
  const std::int64_t outputs = output_at(p, own.head_row, 0);
  const T* const k = static_cast<const T*>(p.k) + own.head_row * p.slots * D;
  const T* const v = static_cast<const T*>(p.v) + own.head_row * p.slots * D;
  std::uint32_t q[D / 16][4];
  std::uint32_t dy[D / 16][4];
  std::uint32_t o[D / 16][4];
  load_rows<T, D>(q, static_cast<const T*>(p.q) + own.head_row * p.tokens * D, D, first, p.tokens);
  load_rows<T, D>(dy, static_cast<const T*>(p.dy) + outputs, output_stride, first, p.tokens);
  load_rows<T, D>(o, static_cast<const T*>(p.first) + outputs, output_stride, first, p.tokens);
  float projection[2] = {};
#pragma unroll
  for (int step = 0; step < D / 16; ++step) {
#pragma unroll
    for (int part = 0; part < 4; ++part) projection[part % 2] += dot<T>(dy[step][part], o[step][part]);
  }
  int visible[2];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    projection[r] = row_sum(projection[r]);
    const int row = min(first + lane / 4 + r * 8, p.tokens - 1);
    visible[r] = p.causal ? p.slots - p.tokens + row + 1 : p.slots;
  }
  const int last = min(own.first + mma_tile, p.tokens) - 1;
  const int end = p.causal ? p.slots - p.tokens + last + 1 : p.slots;
  float norm[2];
  find_norms<T>(norm, p, keys, k, q, visible, end);
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int query = first + lane / 4 + r * 8;
    if (lane % 4 == 0 && query < p.tokens)
      p.stats[own.head_row * p.tokens + query] = make_float2(norm[r], projection[r]);
  }
  float dq[D / 8][4] = {};
  for (int key = 0; key < end; key += mma_tile) {
    __syncthreads();
    load_tile<T, D>(keys, k, D, key, p.slots);
    load_tile<T, D>(values, v, D, key, p.slots);
    __syncthreads();
    float s[8][4];
    float slope[8][4];
    scores<T, D>(s, keys, q, key, visible, scale_log2(p));
    dots<T, D>(slope, dy, values);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float probability = s[j][i] == sdpa_lowest ? 0.0f : exp2f(s[j][i] - norm[i / 2]);
        slope[j][i] = probability * (slope[j][i] - projection[i / 2]);
      }
    }
    accumulate<T, D>(dq, keys, slope);
  }
  store_rows(static_cast<T*>(p.second) + own.head_row * p.tokens * D, dq, first, p.tokens, p.scale);
}

template <class T>
__global__ void __launch_bounds__(mma_threads) sdpa_grad_keys_tensor(const SdpaGradParameters p) {
  take_turn();
  __shared__ __align__(16) Tile<T, D> queries;
  __shared__ __align__(16) Tile<T, D> output_gradients;
  __shared__ float2 stats[mma_tile];
  const SdpaRows own = sdpa_rows(p.slots, mma_tile);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first = own.first + static_cast<int>(threadIdx.x) / 32 * 16;
  const T* const q = static_cast<const T*>(p.q) + own.head_row * p.tokens * D;
  const T* const dy = static_cast<const T*>(p.dy) + output_at(p, own.head_row, 0);
  std::uint32_t k[D / 16][4];
  std::uint32_t v[D / 16][4];
  load_rows<T, D>(k, static_cast<const T*>(p.k) + own.head_row * p.slots * D, D, first, p.slots);
  load_rows<T, D>(v, static_cast<const T*>(p.v) + own.head_row * p.slots * D, D, first, p.slots);
  float dk[D / 8][4] = {};
  float dv[D / 8][4] = {};
  // Queries ahead of this one see none of the block's keys.
  const int begin = p.causal ? max(0, own.first - (p.slots - p.tokens)) / mma_tile * mma_tile : 0;
  for (int query = begin; query < p.tokens; query += mma_tile) {
    __syncthreads();
    load_tile<T, D>(queries, q, D, query, p.tokens);
    load_tile<T, D>(output_gradients, dy, std::int64_t{p.heads} * D, query, p.tokens);
    for (int i = static_cast<int>(threadIdx.x); i < mma_tile && query + i < p.tokens; i += mma_threads)
      stats[i] = p.stats[own.head_row * p.tokens + query + i];
    __syncthreads();
    float probability[8][4];
    float slope[8][4];
    dots<T, D>(probability, k, queries);
    dots<T, D>(slope, v, output_gradients);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int column = j * 8 + lane % 4 * 2 + i % 2;
        const bool seen = sees(p, query + column, first + lane / 4 + i / 2 * 8);
        const float2 of_query = seen ? stats[column] : make_float2(0.0f, 0.0f);
        probability[j][i] = seen ? exp2f(probability[j][i] * scale_log2(p) - of_query.x) : 0.0f;
        slope[j][i] = probability[j][i] * (slope[j][i] - of_query.y);
      }
    }
    accumulate<T, D>(dv, output_gradients, probability);
    accumulate<T, D>(dk, queries, slope);
  }
  const std::int64_t at = own.head_row * p.slots * D;
  store_rows(static_cast<T*>(p.first) + at, dk, first, p.slots, p.scale);
  store_rows(static_cast<T*>(p.second) + at, dv, first, p.slots, 1.0f);
}

template <class T>
SdpaGradKernels kernels() {
  return {reinterpret_cast<const void*>(&sdpa_grad_queries_tensor<T>),
          reinterpret_cast<const void*>(&sdpa_grad_keys_tensor<T>), mma_tile, mma_threads};
}

}  // namespace

std::optional<SdpaGradKernels> sdpa_grad_tensor(const OpContext& context, ir::DType dtype,
                                                const SdpaGradParameters& p) {
  if (context.compute_major < 8 || p.head_dim != D) return std::nullopt;
  if (dtype == ir::DType::fp16) return kernels<__half>();
  if (dtype == ir::DType::bf16) return kernels<__nv_bfloat16>();
  return std::nullopt;
}

}  // namespace graphbench::cuda
