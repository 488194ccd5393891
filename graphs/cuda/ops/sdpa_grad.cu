// Computes the gradient of sdpa in fp32. Computes the attention probabilities again from q and k, tile by
// tile. A block of the first kernel has a tile of queries, stores their `stats` and writes dq. A block of
// the second kernel has a tile of keys and writes dk and dv. One warp computes each sum in a fixed order,
// without atomics.
#include <cmath>

#include "graphs/cuda/ops/kernel_support.cuh"
#include "graphs/cuda/ops/sdpa.hpp"

namespace graphbench::cuda {
namespace {

constexpr int tile = 32;  // rows of a block, and rows that the block visits at a time: one per lane
constexpr int warps = 8;
constexpr int own = tile / warps;
constexpr unsigned all = 0xffffffffu;

struct SdpaGradParameters {
  const void* dy;
  const void* q;
  const void* k;
  const void* v;
  void* first;    // kernel over queries: reads o; kernel over keys: writes dk
  void* second;   // kernel over queries: writes dq; kernel over keys: writes dv
  float2* stats;  // per query: log2 of the sum of 2^score, and the dot product of o and dy
  int heads;
  int tokens;
  int slots;
  int head_dim;
  int width;  // head_dim, rounded up to whole float4
  int pitch;  // floats from one row of a tile to the next
  bool causal;
  float scale;  // 1 / sqrt(head_dim)
};

struct SdpaRows {
  std::int64_t head_row;
  int first;
};
__device__ __forceinline__ SdpaRows sdpa_rows(int rows) {
  const int tiles = (rows + tile - 1) / tile;
  return {blockIdx.x / tiles, static_cast<int>(blockIdx.x % tiles) * tile};
}

__device__ __forceinline__ std::int64_t output_at(const SdpaGradParameters& p, std::int64_t head_row,
                                                  int query) {
  return ((head_row / p.heads * p.tokens + query) * p.heads + head_row % p.heads) * p.head_dim;
}

__device__ __forceinline__ bool sees(const SdpaGradParameters& p, int query, int key) {
  return query < p.tokens && key < p.slots && (!p.causal || key <= p.slots - p.tokens + query);
}
__device__ __forceinline__ float scale_log2(const SdpaGradParameters& p) {
  return p.scale * 1.4426950408889634f;
}

// Loads rows that are `stride` elements apart. Fills rows past `rows` and columns past head_dim with zeros.
template <class T>
__device__ __forceinline__ void load_tile(const SdpaGradParameters& p, float* to, const void* from,
                                          std::int64_t at, std::int64_t stride, int rows) {
  for (int i = static_cast<int>(threadIdx.x); i < tile * p.width; i += static_cast<int>(blockDim.x)) {
    const int row = i / p.width;
    const int d = i % p.width;
    const bool inside = row < rows && d < p.head_dim;
    to[row * p.pitch + d] = inside ? to_float(static_cast<const T*>(from)[at + row * stride + d]) : 0.0f;
  }
}

__device__ __forceinline__ float product(float4 a, float4 b, float sum) {
  return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, sum))));
}

// Sets result[r] to the dot product of the warp's row r and this lane's row of `visited`.
__device__ __forceinline__ void dots(const SdpaGradParameters& p, float (&result)[own], const float* rows,
                                     const float* visited) {
  const float* mine = visited + threadIdx.x % 32 * p.pitch;
#pragma unroll
  for (float& each : result) each = 0.0f;
  for (int d = 0; d < p.width; d += 4) {
    const float4 b = *reinterpret_cast<const float4*>(mine + d);
#pragma unroll
    for (int r = 0; r < own; ++r)
      result[r] = product(*reinterpret_cast<const float4*>(rows + r * p.pitch + d), b, result[r]);
  }
}

// Adds the weighted rows of `visited` to `sum`. Lane i has row i's weights, and adds columns i, i + 32, ...
template <int Chunks>
__device__ __forceinline__ void add_weighed(const SdpaGradParameters& p, float (&sum)[own][Chunks],
                                            const float (&weight)[own], const float* visited) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (int row = 0; row < tile; ++row) {
    float w[own];
#pragma unroll
    for (int r = 0; r < own; ++r) w[r] = __shfl_sync(all, weight[r], row);
#pragma unroll
    for (int c = 0; c < Chunks; ++c) {
      const int d = lane + 32 * c;
      const float value = d < p.width ? visited[row * p.pitch + d] : 0.0f;
#pragma unroll
      for (int r = 0; r < own; ++r) sum[r][c] = fmaf(w[r], value, sum[r][c]);
    }
  }
}

template <class T, int Chunks>
__device__ __forceinline__ void store_row(const SdpaGradParameters& p, void* to, std::int64_t row,
                                          const float (&sum)[Chunks], float scale) {
#pragma unroll
  for (int c = 0; c < Chunks; ++c) {
    const int d = static_cast<int>(threadIdx.x % 32) + 32 * c;
    if (d < p.head_dim) static_cast<T*>(to)[row * p.head_dim + d] = from_float<T>(sum[c] * scale);
  }
}

// Sets `largest` and `sum` for each of the warp's queries, which begin at `query`: to the query's largest
// score, and to the sum of 2^(score - largest).
template <class T>
__device__ __forceinline__ void add_scores(const SdpaGradParameters& p, float (&largest)[own],
                                           float (&sum)[own], const float* q, float* k, std::int64_t keys,
                                           int query, int end) {
#pragma unroll
  for (int r = 0; r < own; ++r) {
    largest[r] = sdpa_lowest;
    sum[r] = 0.0f;
  }
  for (int key = 0; key < end; key += tile) {
    __syncthreads();
    load_tile<T>(p, k, p.k, (keys + key) * p.head_dim, p.head_dim, p.slots - key);
    __syncthreads();
    float score[own];
    dots(p, score, q, k);
#pragma unroll
    for (int r = 0; r < own; ++r) {
      const bool seen = sees(p, query + r, key + static_cast<int>(threadIdx.x % 32));
      const float each = seen ? score[r] * scale_log2(p) : sdpa_lowest;
      const float now = fmaxf(largest[r], warp_reduce<Max>(each));
      sum[r] = sum[r] * exp2f(largest[r] - now) + warp_reduce<Sum>(seen ? exp2f(each - now) : 0.0f);
      largest[r] = now;
    }
  }
}

template <class T, int Chunks>
__global__ void __launch_bounds__(warps * 32) sdpa_grad_queries(const SdpaGradParameters p) {
  take_turn();
  extern __shared__ float4 tiles[];
  float* const q = reinterpret_cast<float*>(tiles);
  float* const dy = q + tile * p.pitch;
  float* const k = dy + tile * p.pitch;
  float* const v = k + tile * p.pitch;
  const SdpaRows place = sdpa_rows(p.tokens);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int mine = static_cast<int>(threadIdx.x / 32) * own;  // the warp's first row of the tile
  const std::int64_t queries = place.head_row * p.tokens + place.first;
  const std::int64_t keys = place.head_row * p.slots;
  const std::int64_t row_stride = std::int64_t{p.heads} * p.head_dim;
  const std::int64_t outputs = output_at(p, place.head_row, place.first);
  load_tile<T>(p, q, p.q, queries * p.head_dim, p.head_dim, p.tokens - place.first);
  load_tile<T>(p, dy, p.dy, outputs, row_stride, p.tokens - place.first);
  load_tile<T>(p, v, p.first, outputs, row_stride, p.tokens - place.first);
  __syncthreads();
  float projection[own];
  float largest[own];
  float sum[own];
#pragma unroll
  for (int r = 0; r < own; ++r) {
    float part = 0.0f;
    for (int d = lane; d < p.head_dim; d += 32)
      part = fmaf(dy[(mine + r) * p.pitch + d], v[(mine + r) * p.pitch + d], part);
    projection[r] = warp_reduce<Sum>(part);
  }
  const int visible = p.slots - p.tokens + min(place.first + tile, p.tokens);
  const int end = p.causal ? visible : p.slots;
  add_scores<T>(p, largest, sum, q + mine * p.pitch, k, keys, place.first + mine, end);
  float dq[own][Chunks] = {};
  for (int key = 0; key < end; key += tile) {
    __syncthreads();
    load_tile<T>(p, k, p.k, (keys + key) * p.head_dim, p.head_dim, p.slots - key);
    load_tile<T>(p, v, p.v, (keys + key) * p.head_dim, p.head_dim, p.slots - key);
    __syncthreads();
    float score[own];
    float slope[own];
    dots(p, score, q + mine * p.pitch, k);
    dots(p, slope, dy + mine * p.pitch, v);
#pragma unroll
    for (int r = 0; r < own; ++r) {
      const bool seen = sees(p, place.first + mine + r, key + lane);
      const float probability = seen ? exp2f(score[r] * scale_log2(p) - largest[r]) / sum[r] : 0.0f;
      slope[r] = probability * (slope[r] - projection[r]);
    }
    add_weighed(p, dq, slope, k);
  }
#pragma unroll
  for (int r = 0; r < own; ++r) {
    if (place.first + mine + r >= p.tokens) continue;
    store_row<T>(p, p.second, queries + mine + r, dq[r], p.scale);
    if (lane == 0) p.stats[queries + mine + r] = make_float2(largest[r] + log2f(sum[r]), projection[r]);
  }
}

template <class T, int Chunks>
__global__ void __launch_bounds__(warps * 32) sdpa_grad_keys(const SdpaGradParameters p) {
  take_turn();
  extern __shared__ float4 tiles[];
  float* const k = reinterpret_cast<float*>(tiles);
  float* const v = k + tile * p.pitch;
  float* const q = v + tile * p.pitch;
  float* const dy = q + tile * p.pitch;
  const SdpaRows place = sdpa_rows(p.slots);
  const int mine = static_cast<int>(threadIdx.x / 32) * own;
  const std::int64_t queries = place.head_row * p.tokens;
  const std::int64_t keys = place.head_row * p.slots + place.first;
  load_tile<T>(p, k, p.k, keys * p.head_dim, p.head_dim, p.slots - place.first);
  load_tile<T>(p, v, p.v, keys * p.head_dim, p.head_dim, p.slots - place.first);
  float dk[own][Chunks] = {};
  float dv[own][Chunks] = {};
  const int begin = p.causal ? max(0, place.first - (p.slots - p.tokens)) / tile * tile : 0;
  for (int query = begin; query < p.tokens; query += tile) {
    __syncthreads();
    load_tile<T>(p, q, p.q, (queries + query) * p.head_dim, p.head_dim, p.tokens - query);
    load_tile<T>(p, dy, p.dy, output_at(p, place.head_row, query), std::int64_t{p.heads} * p.head_dim,
                 p.tokens - query);
    __syncthreads();
    const int of_lane = query + static_cast<int>(threadIdx.x % 32);
    const float2 stats = of_lane < p.tokens ? p.stats[queries + of_lane] : make_float2(0.0f, 0.0f);
    float probability[own];
    float slope[own];
    dots(p, probability, k + mine * p.pitch, q);
    dots(p, slope, v + mine * p.pitch, dy);
#pragma unroll
    for (int r = 0; r < own; ++r) {
      const bool seen = sees(p, of_lane, place.first + mine + r);
      probability[r] = seen ? exp2f(probability[r] * scale_log2(p) - stats.x) : 0.0f;
      slope[r] = probability[r] * (slope[r] - stats.y);
    }
    add_weighed(p, dv, probability, dy);
    add_weighed(p, dk, slope, q);
  }
#pragma unroll
  for (int r = 0; r < own; ++r) {
    if (place.first + mine + r >= p.slots) continue;
    store_row<T>(p, p.first, keys + mine + r, dk[r], p.scale);
    store_row<T>(p, p.second, keys + mine + r, dv[r], 1.0f);
  }
}

struct SdpaGradKernels {
  const void* queries;
  const void* keys;
};

template <class T, int Chunks>
SdpaGradKernels kernels() {
  return {reinterpret_cast<const void*>(&sdpa_grad_queries<T, Chunks>),
          reinterpret_cast<const void*>(&sdpa_grad_keys<T, Chunks>)};
}

SdpaGradKernels kernels_for(const ir::OpCall& call, std::int64_t head_dim) {
  return for_float_type(call, call.input(0).dtype, [&](auto element) {
    using T = decltype(element);
    if (head_dim <= 32) return kernels<T, 1>();
    if (head_dim <= 64) return kernels<T, 2>();
    return head_dim <= 128 ? kernels<T, 4>() : kernels<T, 8>();
  });
}

}  // namespace

PreparedOp prepare_sdpa_grad(OpContext& context, const ir::OpCall& call) {
  const std::vector<std::int64_t>& q = call.input(1).dims;  // [B, H, T, D]
  const std::int64_t head_rows = q.at(0) * q.at(1);
  const auto width = static_cast<int>((q.at(3) + 3) / 4 * 4);
  SdpaGradParameters p{};
  p.stats = static_cast<float2*>(context.workspace);
  p.heads = static_cast<int>(q.at(1));
  p.tokens = static_cast<int>(q.at(2));
  p.slots = static_cast<int>(call.input(2).dims.at(2));
  p.head_dim = static_cast<int>(q.at(3));
  p.width = width;
  p.pitch =
      // If head_dim is a power of two, pitch / 4 is odd, so the rows of the lanes are in different banks.
      width + 4;
  p.causal = ir::integer_attribute(*call.op, "causal") != 0;
  p.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(p.head_dim)));
  if (p.head_dim > 256) refuse(call, "head_dim " + std::to_string(p.head_dim) + " is above 256");
  if (static_cast<std::size_t>(head_rows * p.tokens) * sizeof(float2) > context.workspace_bytes)
    refuse(call, "the sums of the queries are larger than the workspace");
  const SdpaGradKernels kernels = kernels_for(call, p.head_dim);
  const auto shared_bytes = 4u * tile * static_cast<unsigned>(p.pitch * sizeof(float));
  PreparedOp prepared;
  const auto append = [&](const void* kernel, std::int64_t rows, std::initializer_list<Source> sources) {
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes)) != cudaSuccess) {
      (void)cudaGetLastError();
      refuse(call, "the op's tiles are larger than this GPU's shared memory");
    }
    KernelCall launch = kernel_call(kernel, dim3(blocks_for(rows, tile) * static_cast<unsigned>(head_rows)),
                                    dim3(warps * 32), p, sources);
    launch.shared_bytes = shared_bytes;
    prepared.calls.push_back(launch);
  };
  const Source dy = operand_source(0), query = operand_source(1), key = operand_source(2),
               value = operand_source(3);
  append(kernels.queries, p.tokens, {dy, query, key, value, operand_source(4), operand_source(5)});
  append(kernels.keys, p.slots, {dy, query, key, value, operand_source(6), operand_source(7)});
  return prepared;
}

}  // namespace graphbench::cuda
