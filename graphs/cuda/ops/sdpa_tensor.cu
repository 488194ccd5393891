// sdpa on the tensor cores: a block takes 64 queries of one head, a warp 16 of them, and goes over the
// keys 64 at a time with a running softmax (Dao et al., arXiv:2205.14135; mma.m16n8k16 fragments as the
// PTX ISA lays them out). Softmax weights are rounded to 16 bits for the product with the values, as OPS.md
// allows; their sum is not.
#include "graphs/cuda/ops/kernel_support.cuh"
#include "graphs/cuda/ops/sdpa.hpp"

namespace graphbench::cuda {
namespace {

constexpr int threads = 128;
constexpr int tile = 64;  // queries a block, keys a round

template <class T>
__device__ __forceinline__ std::uint32_t pack(T low, T high) {
  const T both[2] = {low, high};
  return *reinterpret_cast<const std::uint32_t*>(both);
}

__device__ __forceinline__ void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                         std::uint32_t b1, __half) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                         std::uint32_t b1, __nv_bfloat16) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two 16 x 8 fragments of a row-major [key][d] tile, transposed on the way to the registers.
__device__ __forceinline__ void load_transposed(std::uint32_t (&b)[4], const void* row) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
               : "r"(address));
}

// Rows are padded by sixteen bytes, which spreads them over the banks.
template <class T, int D>
struct Tiles {
  T k[tile][D + 8];
  T v[tile][D + 8];
};

template <class T, int D>
__device__ __forceinline__ void load_tiles(Tiles<T, D>& shared, const T* k, const T* v, int first,
                                           int slots) {
  constexpr int per_row = D / 8;
  for (int i = static_cast<int>(threadIdx.x); i < tile * per_row; i += threads) {
    const int row = i / per_row;
    const int d = i % per_row * 8;
    Vector16<T> key{};
    Vector16<T> value{};
    if (first + row < slots) {
      key = load16(k + std::int64_t{first + row} * D + d);
      value = load16(v + std::int64_t{first + row} * D + d);
    }
    store16(&shared.k[row][d], key);
    store16(&shared.v[row][d], value);
  }
}

template <class T>
__device__ __forceinline__ std::uint32_t load_pair(const T* row, bool inside) {
  return inside ? *reinterpret_cast<const std::uint32_t*>(row) : 0u;
}

// Scores of a warp's 16 queries against 64 keys, in base-2 units; keys a query does not see are lowest.
template <class T, int D>
__device__ __forceinline__ void scores(float (&s)[8][4], const Tiles<T, D>& shared,
                                       const std::uint32_t (&q)[D / 16][4], int first_key,
                                       const int (&visible)[2], float scale_log2) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) s[j][i] = 0.0f;
    const T* key = shared.k[j * 8 + lane / 4];
#pragma unroll
    for (int step = 0; step < D / 16; ++step) {
      const T* at = key + step * 16 + lane % 4 * 2;
      multiply(s[j], q[step], load_pair(at, true), load_pair(at + 8, true), T{});
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int index = first_key + j * 8 + lane % 4 * 2 + i % 2;
      s[j][i] = index < visible[i / 2] ? s[j][i] * scale_log2 : sdpa_lowest;
    }
  }
}

struct RowState {
  float max = sdpa_lowest;
  float sum = 0.0f;  // of this lane's keys only, until the end
};

// Turns the scores of row half `r` (fragment elements 2r, 2r + 1) into weights; returns by how much
// what was summed before shrinks.
__device__ __forceinline__ float weigh(float (&s)[8][4], RowState& row, int r) {
  float largest = row.max;
#pragma unroll
  for (int j = 0; j < 8; ++j) largest = fmaxf(largest, fmaxf(s[j][2 * r], s[j][2 * r + 1]));
  largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, 1));
  largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, 2));
  const float factor = exp2f(row.max - largest);
  row.max = largest;
  row.sum *= factor;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
#pragma unroll
    for (int i = 2 * r; i < 2 * r + 2; ++i) {
      s[j][i] = s[j][i] == sdpa_lowest ? 0.0f : exp2f(s[j][i] - largest);
      row.sum += s[j][i];
    }
  }
  return factor;
}

// Adds weights times values. The score fragments of two neighbouring 8-key tiles are, element by
// element, the left operand of a 16-key product.
template <class T, int D>
__device__ __forceinline__ void accumulate(float (&o)[D / 8][4], const Tiles<T, D>& shared,
                                           const float (&s)[8][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    std::uint32_t weights[4];
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      const float low = s[2 * step + part / 2][part % 2 * 2];
      const float high = s[2 * step + part / 2][part % 2 * 2 + 1];
      weights[part] = pack(from_float<T>(low), from_float<T>(high));
    }
#pragma unroll
    for (int n = 0; n < D / 16; ++n) {
      std::uint32_t b[4];
      load_transposed(b, &shared.v[step * 16 + lane % 16][n * 16 + lane / 16 * 8]);
      multiply(o[2 * n], weights, b[0], b[1], T{});
      multiply(o[2 * n + 1], weights, b[2], b[3], T{});
    }
  }
}

template <class T, int D>
__device__ __forceinline__ void load_queries(std::uint32_t (&q)[D / 16][4], const T* base, int first,
                                             int tokens) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int step = 0; step < D / 16; ++step) {
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      const int row = first + lane / 4 + part % 2 * 8;
      const int d = step * 16 + lane % 4 * 2 + part / 2 * 8;
      q[step][part] = load_pair(base + std::int64_t{row} * D + d, row < tokens);
    }
  }
}

template <class T, int D>
__global__ void __launch_bounds__(threads) sdpa_tensor_kernel(const SdpaParameters p) {
  let_next_kernel_start();
  wait_for_kernels_ahead();
  __shared__ __align__(16) Tiles<T, D> shared;
  const std::int64_t head_row = blockIdx.y;  // sequence * heads + head
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int block_first = static_cast<int>(blockIdx.x) * tile;
  const int warp_first = block_first + static_cast<int>(threadIdx.x) / 32 * 16;
  const T* k = static_cast<const T*>(p.k) + head_row * p.slots * D;
  const T* v = static_cast<const T*>(p.v) + head_row * p.slots * D;
  std::uint32_t q[D / 16][4];
  load_queries<T, D>(q, static_cast<const T*>(p.q) + head_row * p.tokens * D, warp_first, p.tokens);
  int visible[2];
  for (int r = 0; r < 2; ++r) {
    const int row = min(warp_first + lane / 4 + r * 8, p.tokens - 1);
    visible[r] = p.causal ? p.slots - p.tokens + row + 1 : p.slots;
  }
  const int block_last = min(block_first + tile, p.tokens) - 1;
  const int limit = p.causal ? p.slots - p.tokens + block_last + 1 : p.slots;
  RowState rows[2];
  float o[D / 8][4] = {};
  for (int first_key = 0; first_key < limit; first_key += tile) {
    load_tiles(shared, k, v, first_key, p.slots);
    __syncthreads();
    float s[8][4];
    scores<T, D>(s, shared, q, first_key, visible, p.scale_log2);
    const float shrink[2] = {weigh(s, rows[0], 0), weigh(s, rows[1], 1)};
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) o[n][i] *= shrink[i / 2];
    }
    accumulate<T, D>(o, shared, s);
    __syncthreads();
  }
  const std::int64_t sequence = head_row / p.heads;
  const std::int64_t head = head_row % p.heads;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    rows[r].sum += __shfl_xor_sync(0xffffffffu, rows[r].sum, 1);
    rows[r].sum += __shfl_xor_sync(0xffffffffu, rows[r].sum, 2);
    const int token = warp_first + lane / 4 + r * 8;
    if (token >= p.tokens) continue;
    T* out = static_cast<T*>(p.out) + ((sequence * p.tokens + token) * p.heads + head) * D;
    const float scale = 1.0f / rows[r].sum;
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
      *reinterpret_cast<std::uint32_t*>(out + n * 8 + lane % 4 * 2) =
          pack(from_float<T>(o[n][2 * r] * scale), from_float<T>(o[n][2 * r + 1] * scale));
    }
  }
}

template <class T>
const void* tensor_function(std::int64_t head_dim) {
  return head_dim == 64 ? reinterpret_cast<const void*>(&sdpa_tensor_kernel<T, 64>)
                        : reinterpret_cast<const void*>(&sdpa_tensor_kernel<T, 128>);
}

}  // namespace

std::optional<PreparedOp> prepare_sdpa_tensor(OpContext& context, const SdpaShape& shape,
                                              const ir::OpCall& call) {
  constexpr std::int64_t tokens_min = 8;         // below, most of a tile would be padding
  constexpr std::int64_t head_rows_max = 65535;  // the grid's second extent
  const ir::DType dtype = call.input(0).dtype;
  const bool takes = (dtype == ir::DType::fp16 || dtype == ir::DType::bf16) && context.compute_major >= 8 &&
                     (shape.head_dim == 64 || shape.head_dim == 128) && shape.tokens >= tokens_min &&
                     shape.batch * shape.heads <= head_rows_max;
  if (!takes) return std::nullopt;
  const void* function = dtype == ir::DType::fp16 ? tensor_function<__half>(shape.head_dim)
                                                  : tensor_function<__nv_bfloat16>(shape.head_dim);
  PreparedOp prepared;
  prepared.calls.emplace_back(kernel_call(
      function, dim3(blocks_for(shape.tokens, tile), static_cast<unsigned>(shape.batch * shape.heads)),
      dim3(threads), sdpa_parameters(shape),
      {operand_source(0), operand_source(1), operand_source(2), operand_source(3)}));
  return prepared;
}

}  // namespace graphbench::cuda
