// rope_kv_append uses one block per token: the block rotates q and k, and writes k and v into the cache. A
// thread handles one pair of elements of a head at a time. rope does the same from position 0, with outputs k
// and v instead of a cache; rope_grad rotates the gradients by the negated angles, so it reads what rope
// writes and writes what rope reads.
//
// Operands of rope_kv_append: rows of q, k and v side by side, positions, k cache, v cache, and q. If k and v
// lie apart, the first rows are of q alone, and those of k and v are operands 4 and 5. Of rope: the rows, q,
// k, v. Of rope_grad: the gradients of q, k and v, and of the rows.
#include "graphs/cuda/ops/kernel_support.cuh"

namespace graphbench::cuda {
namespace {

// rope_grad writes q_rows, which hold k and v too, and reads q, k_cache and v_cache: all are gradients.
struct RopeParameters {
  const void* q_rows;
  const void* k_rows;
  const void* v_rows;
  const void* positions;  // null: position 0
  void* k_cache;
  void* v_cache;
  void* q;
  int tokens;  // per sequence
  int heads;
  int head_dim;
  int slots;
  int row_stride;  // elements between two rows of q_rows, and of k_rows and v_rows
  double log2_theta;
};

template <class T>
__device__ __forceinline__ Pair load_pair(const T* at, int half) {
  return {to_float(at[0]), to_float(at[half])};
}
template <class T>
__device__ __forceinline__ void store_pair(T* at, int half, Pair pair) {
  at[0] = from_float<T>(pair.low);
  at[half] = from_float<T>(pair.high);
}

struct Pairs {
  Pair q;
  Pair k;
  Pair v;
};

template <class T>
__device__ __forceinline__ Pairs load_pairs(const RopeParameters& p, std::int64_t row, int pair) {
  const int half = p.head_dim / 2;
  const std::int64_t at = row + std::int64_t{pair / half} * p.head_dim + pair % half;
  return {load_pair(static_cast<const T*>(p.q_rows) + at, half),
          load_pair(static_cast<const T*>(p.k_rows) + at, half),
          load_pair(static_cast<const T*>(p.v_rows) + at, half)};
}

template <class T>
__global__ void rope_kernel(const RopeParameters p) {
  let_next_kernel_start();
  extern __shared__ float2 turns[];  // cosine and sine of the head_dim / 2 angles
  const int sequence = static_cast<int>(blockIdx.x) / p.tokens;
  const int token = static_cast<int>(blockIdx.x) % p.tokens;
  const int half = p.head_dim / 2;
  const int pairs = p.heads * half;
  const std::int64_t row = std::int64_t{blockIdx.x} * p.row_stride;
  int pair = static_cast<int>(threadIdx.x);
  // The frequency does not depend on the position, so it is computed while preceding kernels still run.
  double frequency = rope_frequency(pair, p.head_dim, p.log2_theta);
  wait_for_kernels_ahead();
  // A padding row has a negative position: q is not rotated, and the kernel does not write to the caches.
  const int first = p.positions == nullptr ? 0 : static_cast<const std::int32_t*>(p.positions)[sequence];
  const int position = first < 0 ? 0 : first + token;
  Pairs next{};
  if (pair < pairs) next = load_pairs<T>(p, row, pair);  // waits for memory together with the position
  for (int i = pair; i < half; i += static_cast<int>(blockDim.x)) {
    turns[i] = turn_of(position, frequency);
    frequency = rope_frequency(i + static_cast<int>(blockDim.x), p.head_dim, p.log2_theta);
  }
  __syncthreads();
  // k and v of a position past the cache are not stored: their address would be in another sequence.
  const bool has_slot = first >= 0 && position < p.slots;
  while (pair < pairs) {
    const int i = pair % half;
    const std::int64_t head_row = std::int64_t{sequence} * p.heads + pair / half;
    const float2 turn = turns[i];
    store_pair(static_cast<T*>(p.q) + (head_row * p.tokens + token) * p.head_dim + i, half,
               rotated(next.q, turn));
    if (has_slot) {
      const std::int64_t slot = (head_row * p.slots + position) * p.head_dim + i;
      store_pair(static_cast<T*>(p.k_cache) + slot, half, rotated(next.k, turn));
      store_pair(static_cast<T*>(p.v_cache) + slot, half, next.v);
    }
    pair += static_cast<int>(blockDim.x);
    if (pair < pairs) next = load_pairs<T>(p, row, pair);
  }
}

template <class T>
__global__ void rope_grad_kernel(const RopeParameters p) {
  let_next_kernel_start();
  extern __shared__ float2 turns[];  // cosine and negated sine of the head_dim / 2 angles
  const int sequence = static_cast<int>(blockIdx.x) / p.tokens;
  const int token = static_cast<int>(blockIdx.x) % p.tokens;
  const int half = p.head_dim / 2;
  const int pairs = p.heads * half;
  for (int i = static_cast<int>(threadIdx.x); i < half; i += static_cast<int>(blockDim.x)) {
    turns[i] = turn_of(token, rope_frequency(i, p.head_dim, p.log2_theta));
    turns[i].y = -turns[i].y;
  }
  wait_for_kernels_ahead();
  __syncthreads();
  for (int pair = static_cast<int>(threadIdx.x); pair < pairs; pair += static_cast<int>(blockDim.x)) {
    const int head = pair / half;
    const int i = pair % half;
    const float2 turn = turns[i];
    const std::int64_t from = ((std::int64_t{sequence} * p.heads + head) * p.tokens + token) * p.head_dim + i;
    const int part = 2 * pairs;  // elements of q, of k and of v in a row
    T* const to = static_cast<T*>(const_cast<void*>(p.q_rows)) + std::int64_t{blockIdx.x} * p.row_stride +
                  std::int64_t{head} * p.head_dim + i;
    store_pair(to, half, rotated(load_pair(static_cast<const T*>(p.q) + from, half), turn));
    store_pair(to + part, half, rotated(load_pair(static_cast<const T*>(p.k_cache) + from, half), turn));
    store_pair(to + 2 * part, half, load_pair(static_cast<const T*>(p.v_cache) + from, half));
  }
}

bool are_apart(const ir::OpCall& call) {
  return call.input_count == 6;
}

// `heads`: a tensor [B, H, T, D]. `sources`: in the order of the pointers in RopeParameters.
PreparedOp prepare(const ir::OpCall& call, const void* function, const ir::TensorDesc& heads,
                   std::int64_t slots, std::initializer_list<Source> sources) {
  const std::vector<std::int64_t>& q = heads.dims;
  RopeParameters parameters{};
  parameters.tokens = static_cast<int>(q.at(2));
  parameters.heads = static_cast<int>(q.at(1));
  parameters.head_dim = static_cast<int>(q.at(3));
  parameters.slots = static_cast<int>(slots);
  parameters.log2_theta = log2(ir::real_attribute(*call.op, "theta"));
  if (parameters.head_dim % 2 != 0)
    refuse(call, "head_dim " + std::to_string(parameters.head_dim) + " is odd");
  const std::int64_t pairs = q.at(1) * q.at(3) / 2;
  const std::int64_t part = 2 * pairs;  // elements of q, of k and of v in a row
  parameters.row_stride = static_cast<int>(are_apart(call) ? part : 3 * part);
  KernelCall launch = kernel_call(function, dim3(static_cast<unsigned>(q.at(0) * q.at(2))),
                                  dim3(threads_for(pairs, 512)), parameters, sources);
  launch.shared_bytes = static_cast<unsigned>(q.at(3) / 2) * static_cast<unsigned>(sizeof(float2));
  return one_launch(launch);
}

const void* rope_function(const ir::OpCall& call) {
  return kernel_for(call, [](auto t) { return &rope_kernel<decltype(t)>; });
}

// The source of one part of a row of input 0: q is part 0, k part 1, v part 2.
Source part_of_row(const ir::OpCall& call, std::size_t part) {
  const ir::TensorDesc& rows = call.input(0);
  return operand_source(0, part * rows.bytes() / static_cast<std::size_t>(rows.dims.at(0)) / 3);
}

}  // namespace

PreparedOp prepare_rope_kv_append(OpContext&, const ir::OpCall& call) {
  const bool apart = are_apart(call);
  return prepare(call, rope_function(call), call.output(0), call.input(2).dims.at(2),
                 {operand_source(0), apart ? operand_source(4) : part_of_row(call, 1),
                  apart ? operand_source(5) : part_of_row(call, 2), operand_source(1), operand_source(2),
                  operand_source(3), operand_source(call.input_count)});
}

PreparedOp prepare_rope(OpContext&, const ir::OpCall& call) {
  return prepare(call, rope_function(call), call.output(0), call.output(0).dims.at(2),
                 {operand_source(0), part_of_row(call, 1), part_of_row(call, 2), fixed_source(nullptr),
                  operand_source(2), operand_source(3), operand_source(1)});
}

PreparedOp prepare_rope_grad(OpContext&, const ir::OpCall& call) {
  const void* function = kernel_for(call, [](auto t) { return &rope_grad_kernel<decltype(t)>; });
  return prepare(call, function, call.input(0), call.input(0).dims.at(2),
                 {operand_source(3), fixed_source(nullptr), fixed_source(nullptr), fixed_source(nullptr),
                  operand_source(1), operand_source(2), operand_source(0)});
}

}  // namespace graphbench::cuda
