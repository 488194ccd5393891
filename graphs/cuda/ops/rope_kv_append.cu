// rope_kv_append: one block a token rotates its q and k and puts k and v into the cache.
#include "graphs/cuda/ops/kernel_support.cuh"

namespace graphbench::cuda {
namespace {

struct RopeParameters {
  const void* qkv;
  const void* positions;
  void* k_cache;
  void* v_cache;
  void* q;
  int tokens;  // a sequence
  int heads;
  int head_dim;
  int slots;
  double log2_theta;
};

template <class T>
__device__ __forceinline__ void rotate(const T* source, T* destination, int i, int half, float2 turn) {
  const float low = to_float(source[i]);
  const float high = to_float(source[i + half]);
  destination[i] = from_float<T>(low * turn.x - high * turn.y);
  destination[i + half] = from_float<T>(high * turn.x + low * turn.y);
}

template <class T>
__global__ void rope_kernel(const RopeParameters p) {
  let_next_kernel_start();
  wait_for_kernels_ahead();
  extern __shared__ float2 turns[];  // cos and sin of each of the head_dim / 2 angles
  const int sequence = static_cast<int>(blockIdx.x) / p.tokens;
  const int token = static_cast<int>(blockIdx.x) % p.tokens;
  const int half = p.head_dim / 2;
  const int position = static_cast<const std::int32_t*>(p.positions)[sequence] + token;
  for (int i = static_cast<int>(threadIdx.x); i < half; i += static_cast<int>(blockDim.x)) {
    // The angle in fp64, reduced to one turn: in fp32 a position of some thousands costs four digits.
    constexpr double turn = 6.283185307179586476925;
    const double angle = position * exp2(-2.0 * i / p.head_dim * p.log2_theta);
    const float reduced = static_cast<float>(angle - turn * floor(angle / turn));
    turns[i] = make_float2(cosf(reduced), sinf(reduced));
  }
  __syncthreads();
  // A position outside the cache has no slot; writing it would be another sequence's memory.
  const bool has_slot = position >= 0 && position < p.slots;
  const std::int64_t width = std::int64_t{p.heads} * p.head_dim;
  const T* row = static_cast<const T*>(p.qkv) + std::int64_t{blockIdx.x} * 3 * width;
  for (int pair = static_cast<int>(threadIdx.x); pair < p.heads * half;
       pair += static_cast<int>(blockDim.x)) {
    const int head = pair / half;
    const int i = pair % half;
    const std::int64_t head_row = std::int64_t{sequence} * p.heads + head;
    const T* source = row + std::int64_t{head} * p.head_dim;
    rotate(source, static_cast<T*>(p.q) + (head_row * p.tokens + token) * p.head_dim, i, half, turns[i]);
    if (!has_slot) continue;
    const std::int64_t slot = (head_row * p.slots + position) * p.head_dim;
    rotate(source + width, static_cast<T*>(p.k_cache) + slot, i, half, turns[i]);
    T* v = static_cast<T*>(p.v_cache) + slot;
    v[i] = source[2 * width + i];
    v[i + half] = source[2 * width + i + half];
  }
}

}  // namespace

PreparedOp prepare_rope_kv_append(OpContext&, const ir::OpCall& call) {
  const std::vector<std::int64_t>& q = call.output(0).dims;  // [B, H, T, D]
  RopeParameters parameters{};
  parameters.tokens = static_cast<int>(q.at(2));
  parameters.heads = static_cast<int>(q.at(1));
  parameters.head_dim = static_cast<int>(q.at(3));
  parameters.slots = static_cast<int>(call.input(2).dims.at(2));
  parameters.log2_theta = log2(ir::real_attribute(*call.op, "theta", 10000.0));
  if (parameters.head_dim % 2 != 0)
    refuse(call, "head_dim " + std::to_string(parameters.head_dim) + " is odd");
  const void* function = for_float_type(call, call.input(0).dtype, [](auto element) {
    return reinterpret_cast<const void*>(&rope_kernel<decltype(element)>);
  });
  const std::int64_t pairs = q.at(1) * q.at(3) / 2;
  KernelCall launch = kernel_call(
      function, dim3(static_cast<unsigned>(q.at(0) * q.at(2))), dim3(threads_for(pairs, 512)), parameters,
      {operand_source(0), operand_source(1), operand_source(2), operand_source(3), operand_source(4)},
      call.op->name.c_str());
  launch.shared_bytes = static_cast<unsigned>(q.at(3) / 2) * static_cast<unsigned>(sizeof(float2));
  PreparedOp prepared;
  prepared.calls.push_back(launch);
  return prepared;
}

}  // namespace graphbench::cuda
