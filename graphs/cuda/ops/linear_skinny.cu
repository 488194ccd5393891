// y = activation(x wT + bias) + residual for few rows, where reading w once is all there is to it. A warp
// multiplies 16 rows of w on the tensor cores, straight from registers; eight warps, and the blocks of a
// cluster, divide the columns, and their sums are added in a fixed order.
//
// Weights that no op writes are loaded while the kernel ahead still runs, so that in a chain of launches
// memory hardly rests: what is left of a product once its turn comes is reading x, multiplying and
// storing. (Staged in shared memory, the weights of three launches fit at once instead of two; on an H200
// that made steps a tenth to a fifth slower.)
#include <cooperative_groups.h>

#include "graphs/cuda/ops/kernel_support.cuh"
#include "graphs/cuda/ops/matmul.hpp"

namespace graphbench::cuda {
namespace {

constexpr int warps = 8;
constexpr int threads = warps * 32;
constexpr int tile_columns = 16;  // of y a block makes: rows of w
constexpr int chunk = 32;         // columns of w a warp multiplies at a time
constexpr int in_flight = 4;      // chunks a warp loads before it multiplies
constexpr int clusters_max = 8;

// Blocks a multiprocessor has registers for: those of the next kernel find room while these still run.
constexpr int blocks_at_once(int tiles) {
  return tiles > 1 ? 3 : 4;
}

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
  bool weights_constant;
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

// `in_flight` chunks from `first` on; zero where there are fewer.
template <class T>
__device__ __forceinline__ void load_weights(Weights (&weights)[in_flight], const T* w, std::int64_t k,
                                             int first, int count) {
#pragma unroll
  for (int u = 0; u < in_flight; ++u) {
    weights[u].low = weights[u].high = make_uint4(0, 0, 0, 0);
    if (first + u < count) {
      const T* at = w + (first + u) * chunk;
      weights[u].low = __ldcs(reinterpret_cast<const uint4*>(at));
      weights[u].high = __ldcs(reinterpret_cast<const uint4*>(at + 8 * k));
    }
  }
}

template <class T, int Tiles>
__device__ __forceinline__ void multiply_chunks(float (&sums)[Tiles][4], const Weights (&weights)[in_flight],
                                                const T* x, const SkinnyParameters& p, int group, int first,
                                                int count) {
#pragma unroll
  for (int tile = 0; tile < Tiles; ++tile) {
    const int row = tile * 8 + group;
    uint4 b[in_flight];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      b[u] = make_uint4(0, 0, 0, 0);
      if (row < p.rows && first + u < count) {
        b[u] = *reinterpret_cast<const uint4*>(x + std::int64_t{row} * p.k + (first + u) * chunk);
      }
    }
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const Weights& w = weights[u];
      multiply(sums[tile], w.low.x, w.high.x, w.low.y, w.high.y, b[u].x, b[u].y, T{});
      multiply(sums[tile], w.low.z, w.high.z, w.low.w, w.high.w, b[u].z, b[u].w, T{});
    }
  }
}

// The outputs a thread stores, and what it adds to their sums. Output o of a block is row o / 16, column
// o % 16 of its tile; the blocks of a cluster share them out.
template <class T, int Tiles>
struct Finish {
  static constexpr int outputs = tile_columns * Tiles * 8;
  static constexpr int most = (outputs + threads - 1) / threads;

  int first;  // this block's outputs are first <= o < last
  int last;
  std::int64_t column;
  T bias[most];
  T residual[most];

  __device__ __forceinline__ int output(int i) const {
    return first + static_cast<int>(threadIdx.x) + i * threads;
  }
  __device__ __forceinline__ bool holds(const SkinnyParameters& p, int i) const {
    return output(i) < last && output(i) / tile_columns < p.rows;
  }
  __device__ __forceinline__ std::int64_t place(const SkinnyParameters& p, int i) const {
    return std::int64_t{output(i) / tile_columns} * p.n + column + output(i) % tile_columns;
  }
  __device__ __forceinline__ void load_bias(const SkinnyParameters& p) {
#pragma unroll
    for (int i = 0; i < most; ++i) {
      bias[i] = from_float<T>(0.0f);
      if (p.bias != nullptr && holds(p, i))
        bias[i] = static_cast<const T*>(p.bias)[column + output(i) % tile_columns];
    }
  }
  __device__ __forceinline__ void load_residual(const SkinnyParameters& p) {
#pragma unroll
    for (int i = 0; i < most; ++i) {
      residual[i] = from_float<T>(0.0f);
      if (p.residual != nullptr && holds(p, i)) residual[i] = static_cast<const T*>(p.residual)[place(p, i)];
    }
  }
  __device__ __forceinline__ void store(const SkinnyParameters& p, int i, float sum) const {
    sum += to_float(bias[i]);
    if (p.activation == Activation::gelu_tanh) sum = gelu_tanh(sum);
    if (p.activation == Activation::relu) sum = fmaxf(sum, 0.0f);
    static_cast<T*>(p.y)[place(p, i)] = from_float<T>(sum + to_float(residual[i]));
  }
};

// This block's part of the columns, and this lane's of the block's.
struct Share {
  int blocks;  // of the cluster
  int rank;
  int group;  // row of w in the tile, row of x
  int lane;   // which eight columns of a chunk
  int begin;  // first column
  int count;  // chunks

  __device__ __forceinline__ Share(int k, int blocks_of_cluster, int rank_in_cluster)
      : blocks(blocks_of_cluster), rank(rank_in_cluster) {
    const int columns = k / (blocks * warps);  // a warp sums over
    group = static_cast<int>(threadIdx.x) % 32 / 4;
    lane = static_cast<int>(threadIdx.x) % 4;
    begin = (rank * warps + static_cast<int>(threadIdx.x) / 32) * columns + lane * 8;
    count = columns / chunk;
  }
};

// On their way to the L2 cache: the chunks that no register waits for.
template <class T>
__device__ __forceinline__ void prefetch_weights(const Share& share, const T* w, std::int64_t k, int first) {
  if (share.lane % 2 != 0) return;
  for (int c = first; c < share.count; ++c) {
    prefetch_l2(w + c * chunk);
    prefetch_l2(w + 8 * k + c * chunk);
  }
}

template <int Tiles>
__device__ __forceinline__ void share_sums(float* warp_sums, const float (&sums)[Tiles][4],
                                           const Share& share) {
#pragma unroll
  for (int tile = 0; tile < Tiles; ++tile) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = tile * 8 + share.lane * 2 + i % 2;
      warp_sums[row * tile_columns + share.group + i / 2 * 8] = sums[tile][i];
    }
  }
  __syncthreads();
}

template <class T, int Tiles>
__global__ void __launch_bounds__(threads, blocks_at_once(Tiles)) skinny_kernel(const SkinnyParameters p) {
  using Mine = Finish<T, Tiles>;
  constexpr int outputs = Mine::outputs;
  __shared__ float warp_sums[warps][outputs];
#if __CUDA_ARCH__ >= 900
  __shared__ float block_sums[outputs];  // by block of the cluster, of the outputs this one finishes
  const auto cluster = cooperative_groups::this_cluster();
  const Share share(p.k, static_cast<int>(cluster.num_blocks()), static_cast<int>(cluster.block_rank()));
#else
  const Share share(p.k, 1, 0);
#endif
  const int blocks = share.blocks;
  const int part = outputs / blocks;
  Mine mine{
      share.rank * part, share.rank * part + part, std::int64_t{blockIdx.x} / blocks * tile_columns, {}, {}};
  const T* w = static_cast<const T*>(p.w) + (mine.column + share.group) * p.k + share.begin;
  Weights weights[in_flight];
  if (p.weights_constant) {
    load_weights(weights, w, p.k, 0, share.count);
    mine.load_bias(p);
  }
  prefetch_weights(share, w, p.k, p.weights_constant ? in_flight : 0);
  let_next_kernel_start();
#if __CUDA_ARCH__ >= 900
  // Sums are written to other blocks of the cluster, which must have begun by then.
  if (blocks > 1) cluster.barrier_arrive();
#endif
  wait_for_kernels_ahead();
  if (!p.weights_constant) {
    load_weights(weights, w, p.k, 0, share.count);
    mine.load_bias(p);
  }
  mine.load_residual(p);
  const T* x = static_cast<const T*>(p.x) + share.begin;
  float sums[Tiles][4] = {};
  multiply_chunks<T, Tiles>(sums, weights, x, p, share.group, 0, share.count);
  for (int first = in_flight; first < share.count; first += in_flight) {
    load_weights(weights, w, p.k, first, share.count);
    multiply_chunks<T, Tiles>(sums, weights, x, p, share.group, first, share.count);
  }
  share_sums<Tiles>(warp_sums[threadIdx.x / 32], sums, share);
#if __CUDA_ARCH__ >= 900
  if (blocks > 1) cluster.barrier_wait();
#endif
#pragma unroll
  for (int i = 0; i < Mine::most; ++i) {
    const int o = static_cast<int>(threadIdx.x) + i * threads;
    if (o >= outputs) continue;
    float sum = 0.0f;
#pragma unroll
    for (int other = 0; other < warps; ++other) sum += warp_sums[other][o];
    if (blocks == 1 && mine.holds(p, i)) mine.store(p, i, sum);
#if __CUDA_ARCH__ >= 900
    if (blocks > 1) cluster.map_shared_rank(block_sums, o / part)[share.rank * part + o % part] = sum;
#endif
  }
#if __CUDA_ARCH__ >= 900
  if (blocks == 1) return;
  cluster.sync();
#pragma unroll
  for (int i = 0; i < Mine::most; ++i) {
    if (!mine.holds(p, i)) continue;
    float sum = 0.0f;
    for (int other = 0; other < blocks; ++other)
      sum += block_sums[other * part + mine.output(i) - mine.first];
    mine.store(p, i, sum);
  }
#endif
}

template <class T>
const void* skinny_function(std::int64_t rows) {
  if (rows <= 8) return reinterpret_cast<const void*>(&skinny_kernel<T, 1>);
  if (rows <= 16) return reinterpret_cast<const void*>(&skinny_kernel<T, 2>);
  return reinterpret_cast<const void*>(&skinny_kernel<T, 4>);
}

}  // namespace

std::vector<SkinnyCandidate> skinny_candidates(const OpContext& context, const MatmulSpec& spec) {
  std::vector<SkinnyCandidate> candidates;
  const bool half = spec.dtype == ir::DType::bf16 || spec.dtype == ir::DType::fp16;
  if (!half || spec.rows > skinny_rows_max || spec.n % tile_columns != 0 || context.compute_major < 8 ||
      spec.alignment < 16 || spec.activation_last || spec.x_transposed || spec.w_transposed)
    return candidates;
  const void* function = spec.dtype == ir::DType::bf16 ? skinny_function<__nv_bfloat16>(spec.rows)
                                                       : skinny_function<__half>(spec.rows);
  const SkinnyParameters parameters{.rows = static_cast<int>(spec.rows),
                                    .n = static_cast<int>(spec.n),
                                    .k = static_cast<int>(spec.k),
                                    .activation = spec.activation,
                                    .weights_constant = spec.weights_constant};
  const int most = context.compute_major >= 9 ? clusters_max : 1;  // clusters came with 9.0
  for (int blocks = 1; blocks <= most; blocks *= 2) {
    if (spec.k % (std::int64_t{blocks} * warps * chunk) != 0) break;
    const auto grid = static_cast<unsigned>(spec.n / tile_columns * blocks);
    KernelCall launch = kernel_call(function, dim3(grid), dim3(threads), parameters,
                                    {spec.x, spec.w, spec.bias, spec.residual, spec.y});
    launch.cluster_blocks = static_cast<unsigned>(blocks);
    launch.programmatic = context.programmatic;
    candidates.push_back({"few-row kernel, sums over " + std::to_string(blocks) + " blocks", launch});
  }
  return candidates;
}

}  // namespace graphbench::cuda
