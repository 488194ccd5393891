// sdpa on the tensor cores: a block takes 64 queries of one head, a warp 16 of them, and goes over the
// keys 64 at a time with a running softmax (Dao et al., arXiv:2205.14135). Softmax weights are rounded to 16
// bits for the product with the values, as OPS.md allows; their sum is not.
#include "graphs/cuda/ops/sdpa_mma.cuh"

namespace graphbench::cuda {
namespace {

template <class T, int D>
__global__ void __launch_bounds__(mma_threads) sdpa_tensor_kernel(const SdpaParameters p) {
  take_turn();
  __shared__ __align__(16) Tile<T, D> keys;
  __shared__ __align__(16) Tile<T, D> values;
  const std::int64_t head_row = blockIdx.y;  // sequence * heads + head
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int block_first = static_cast<int>(blockIdx.x) * mma_tile;
  const int warp_first = block_first + static_cast<int>(threadIdx.x) / 32 * 16;
  const T* k = static_cast<const T*>(p.k) + head_row * p.slots * D;
  const T* v = static_cast<const T*>(p.v) + head_row * p.slots * D;
  std::uint32_t q[D / 16][4];
  load_rows<T, D>(q, static_cast<const T*>(p.q) + head_row * p.tokens * D, D, warp_first, p.tokens);
  int visible[2];
  for (int r = 0; r < 2; ++r) {
    const int row = min(warp_first + lane / 4 + r * 8, p.tokens - 1);
    visible[r] = p.causal ? p.slots - p.tokens + row + 1 : p.slots;
  }
  const int block_last = min(block_first + mma_tile, p.tokens) - 1;
  const int limit = p.causal ? p.slots - p.tokens + block_last + 1 : p.slots;
  RowState rows[2];
  float o[D / 8][4] = {};
  for (int first_key = 0; first_key < limit; first_key += mma_tile) {
    load_tile<T, D>(keys, k, D, first_key, p.slots);
    load_tile<T, D>(values, v, D, first_key, p.slots);
    __syncthreads();
    float s[8][4];
    scores<T, D>(s, keys, q, first_key, visible, p.scale_log2);
    const float shrink[2] = {weigh(s, rows[0], 0), weigh(s, rows[1], 1)};
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) o[n][i] *= shrink[i / 2];
    }
    accumulate<T, D>(o, values, s);
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
  return one_launch(kernel_call(
      function, dim3(blocks_for(shape.tokens, mma_tile), static_cast<unsigned>(shape.batch * shape.heads)),
      dim3(mma_threads), sdpa_parameters(shape),
      {operand_source(0), operand_source(1), operand_source(2), operand_source(3)}));
}

}  // namespace graphbench::cuda
