// y = activation(x wT + bias) + residual for few rows, where reading w once is all there is to it. A warp
// multiplies 16 rows of w on the tensor cores, straight from memory; eight warps, and the blocks of a
// cluster, divide the columns, and their sums are added in a fixed order.
#include <cooperative_groups.h>

#include "graphs/cuda/ops/kernel_support.cuh"
#include "graphs/cuda/ops/matmul.hpp"

namespace graphbench::cuda {
namespace {

constexpr int warps = 8;
constexpr int tile_columns = 16;  // of y a block makes: rows of w
constexpr int chunk = 32;         // columns of w a warp multiplies at a time
constexpr int in_flight = 4;      // chunks a warp loads before it multiplies
constexpr int clusters_max = 8;
// Registers for so many blocks at once: those of the next kernel find room while these still run.
constexpr int blocks_a_multiprocessor = 4;

struct SkinnyParameters {
  const void* x;
  const void* w;
  const void* bias;      // null where there is none
  const void* residual;  // null where there is none
  void* y;
  int rows;
  int n;
  int k;
  Activation activation;
};

__device__ __forceinline__ void multiply(float (&sums)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                         unsigned b0, unsigned b1, __nv_bfloat16) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void multiply(float (&sums)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                         unsigned b0, unsigned b1, __half) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// What one lane holds of a chunk: eight columns of two rows of w. The matrix instruction does not care
// which columns meet as long as both operands agree, so each lane takes sixteen bytes in a row.
struct Weights {
  uint4 low;
  uint4 high;
};

__device__ __forceinline__ void prefetch_l2(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

template <class T>
__device__ __forceinline__ void load_weights(Weights (&weights)[in_flight], const T* w, int k, int first,
                                             int count) {
#pragma unroll
  for (int u = 0; u < in_flight; ++u) {
    if (first + u >= count) continue;
    const T* at = w + (first + u) * chunk;
    weights[u].low = __ldcs(reinterpret_cast<const uint4*>(at));
    weights[u].high = __ldcs(reinterpret_cast<const uint4*>(at + std::int64_t{8} * k));
  }
}

template <class T, int Tiles>
__device__ __forceinline__ void multiply_chunks(float (&sums)[Tiles][4], const Weights (&weights)[in_flight],
                                                const T* x, const SkinnyParameters& p, int group, int first,
                                                int count) {
#pragma unroll
  for (int u = 0; u < in_flight; ++u) {
    if (first + u >= count) continue;
#pragma unroll
    for (int tile = 0; tile < Tiles; ++tile) {
      const int row = tile * 8 + group;
      uint4 b = make_uint4(0, 0, 0, 0);
      if (row < p.rows) {
        b = *reinterpret_cast<const uint4*>(x + std::int64_t{row} * p.k + (first + u) * chunk);
      }
      multiply(sums[tile], weights[u].low.x, weights[u].high.x, weights[u].low.y, weights[u].high.y, b.x, b.y,
               T{});
      multiply(sums[tile], weights[u].low.z, weights[u].high.z, weights[u].low.w, weights[u].high.w, b.z, b.w,
               T{});
    }
  }
}

template <class T>
__device__ __forceinline__ void finish(const SkinnyParameters& p, int row, int column, float sum) {
  if (row >= p.rows) return;
  const std::int64_t at = std::int64_t{row} * p.n + column;
  if (p.bias != nullptr) sum += to_float(static_cast<const T*>(p.bias)[column]);
  if (p.activation == Activation::gelu_tanh) sum = gelu_tanh(sum);
  if (p.activation == Activation::relu) sum = fmaxf(sum, 0.0f);
  if (p.residual != nullptr) sum += to_float(static_cast<const T*>(p.residual)[at]);
  static_cast<T*>(p.y)[at] = from_float<T>(sum);
}

template <class T, int Tiles>
__global__ void __launch_bounds__(warps * 32, blocks_a_multiprocessor)
    skinny_kernel(const SkinnyParameters p) {
  constexpr int outputs = tile_columns * 8 * Tiles;  // output o: row o / 16, column o % 16
  __shared__ float warp_sums[warps][outputs];
  __shared__ float block_sums[outputs];
  namespace cg = cooperative_groups;
#if __CUDA_ARCH__ >= 900
  const auto cluster = cg::this_cluster();
  const int blocks = static_cast<int>(cluster.num_blocks());
  const int rank = static_cast<int>(cluster.block_rank());
#else
  constexpr int blocks = 1;
  constexpr int rank = 0;
#endif
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int group = static_cast<int>(threadIdx.x) % 32 / 4;
  const int lane = static_cast<int>(threadIdx.x) % 4;
  const int column = static_cast<int>(blockIdx.x) / blocks * tile_columns;
  const int share = p.k / (blocks * warps);  // columns of w a warp sums over
  const int begin = (rank * warps + warp) * share + lane * 8;
  const T* w = static_cast<const T*>(p.w) + std::int64_t{column + group} * p.k + begin;
  const int count = share / chunk;
  let_next_kernel_start();
  // On its way to the L2 cache while the kernel ahead still runs. Read it is only after that has
  // finished, so that it may be what that kernel writes.
  if (lane % 2 == 0) {
    for (int c = 0; c < count; ++c) {
      prefetch_l2(w + c * chunk);
      prefetch_l2(w + std::int64_t{8} * p.k + c * chunk);
    }
  }
  wait_for_kernels_ahead();
  const T* x = static_cast<const T*>(p.x) + begin;
  float sums[Tiles][4] = {};
  for (int first = 0; first < count; first += in_flight) {
    Weights weights[in_flight];
    load_weights<T>(weights, w, p.k, first, count);
    multiply_chunks<T, Tiles>(sums, weights, x, p, group, first, count);
  }
#pragma unroll
  for (int tile = 0; tile < Tiles; ++tile) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = tile * 8 + lane * 2 + i % 2;
      warp_sums[warp][row * tile_columns + group + i / 2 * 8] = sums[tile][i];
    }
  }
  __syncthreads();
  for (int o = static_cast<int>(threadIdx.x); o < outputs; o += warps * 32) {
    float sum = 0.0f;
#pragma unroll
    for (int other = 0; other < warps; ++other) sum += warp_sums[other][o];
    block_sums[o] = sum;
    if (blocks == 1) finish<T>(p, o / tile_columns, column + o % tile_columns, sum);
  }
#if __CUDA_ARCH__ >= 900
  if (blocks == 1) return;
  cluster.sync();
  const int part = outputs / blocks;
  for (int o = rank * part + static_cast<int>(threadIdx.x); o < (rank + 1) * part; o += warps * 32) {
    float sum = 0.0f;
    for (int other = 0; other < blocks; ++other) sum += cluster.map_shared_rank(block_sums, other)[o];
    finish<T>(p, o / tile_columns, column + o % tile_columns, sum);
  }
  cluster.sync();  // the others may still be reading this block's sums
#endif
}

template <class T>
const void* skinny_function(std::int64_t rows) {
  if (rows <= 8) return reinterpret_cast<const void*>(&skinny_kernel<T, 1>);
  if (rows <= 16) return reinterpret_cast<const void*>(&skinny_kernel<T, 2>);
  return reinterpret_cast<const void*>(&skinny_kernel<T, 4>);
}

}  // namespace

std::vector<SkinnyCandidate> skinny_candidates(const OpContext& context, const MatmulSpec& spec,
                                               const ir::OpCall& call) {
  std::vector<SkinnyCandidate> candidates;
  const bool half = spec.dtype == ir::DType::bf16 || spec.dtype == ir::DType::fp16;
  if (!half || spec.rows > skinny_rows_max || spec.n % tile_columns != 0 || context.compute_major < 8 ||
      spec.alignment < 16 || spec.activation_last)
    return candidates;
  const void* function = spec.dtype == ir::DType::bf16 ? skinny_function<__nv_bfloat16>(spec.rows)
                                                       : skinny_function<__half>(spec.rows);
  const SkinnyParameters parameters{nullptr,
                                    nullptr,
                                    nullptr,
                                    nullptr,
                                    nullptr,
                                    static_cast<int>(spec.rows),
                                    static_cast<int>(spec.n),
                                    static_cast<int>(spec.k),
                                    spec.activation};
  const int most = context.compute_major >= 9 ? clusters_max : 1;  // clusters came with 9.0
  for (int blocks = 1; blocks <= most; blocks *= 2) {
    if (spec.k % (std::int64_t{blocks} * warps * chunk) != 0) break;
    const auto grid = static_cast<unsigned>(spec.n / tile_columns * blocks);
    KernelCall launch =
        kernel_call(function, dim3(grid), dim3(warps * 32), parameters,
                    {spec.x, spec.w, spec.bias, spec.residual, spec.y}, call.op->name.c_str());
    launch.cluster_blocks = static_cast<unsigned>(blocks);
    launch.programmatic = context.programmatic;
    candidates.push_back({"skinny kernel, columns over " + std::to_string(blocks) + " blocks", launch});
  }
  return candidates;
}

}  // namespace graphbench::cuda
