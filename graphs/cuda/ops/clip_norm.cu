// What is of all gradients together. clip_norm: squares by blocks, which one block adds up in order, then
// every gradient scaled; of gradients that the loss's scale is in, the norm is of those without it.
// find_overflow: by blocks whether all is finite, then of all blocks.
#include <algorithm>
#include <vector>

#include "graphs/cuda/ops/kernel_support.cuh"

namespace graphbench::cuda {
namespace {

constexpr std::size_t gradients_max = 160;  // of a launch, whose arguments are 4 KB at most
constexpr unsigned threads = 256;
constexpr std::int64_t per_block = threads * 16;

// The workspace: the scale, then a sum of squares for each block of all launches.
struct GradientsParameters {
  const float* loss_scale;  // null: the gradients are as they are
  void* values[gradients_max];
  float* scale;
  float* partials;
  std::int64_t elements[gradients_max];
  unsigned blocks_end[gradients_max];  // of the gradient and those before it
};

// The block's elements of its gradient, `per_block` at most.
struct Part {
  void* values;
  std::int64_t first;
  std::int64_t last;
};
__device__ Part part_of(const GradientsParameters& p) {
  unsigned which = 0;
  while (blockIdx.x >= p.blocks_end[which]) ++which;
  const unsigned block = blockIdx.x - (which == 0 ? 0 : p.blocks_end[which - 1]);
  const std::int64_t first = block * per_block;
  const std::int64_t end = p.elements[which];
  return {p.values[which], first, first + per_block < end ? first + per_block : end};
}

template <class T>
__global__ void sum_squares(const __grid_constant__ GradientsParameters p) {
  take_turn();
  const Part part = part_of(p);
  const float unscale = p.loss_scale == nullptr ? 1.0f : 1.0f / *p.loss_scale;
  float sum = 0.0f;
  for (std::int64_t i = part.first + threadIdx.x; i < part.last; i += threads) {
    const float value = __fmul_rn(to_float(static_cast<const T*>(part.values)[i]), unscale);
    sum += value * value;
  }
  sum = block_reduce<Sum>(sum);
  if (threadIdx.x == 0) p.partials[blockIdx.x] = sum;
}

template <class T>
__global__ void scale_gradients(const __grid_constant__ GradientsParameters p) {
  take_turn();
  const Part part = part_of(p);
  const float scale = *p.scale;
  for (std::int64_t i = part.first + threadIdx.x; i < part.last; i += threads) {
    T& value = static_cast<T*>(part.values)[i];
    value = from_float<T>(to_float(value) * scale);
  }
}

struct ScaleParameters {
  const float* partials;
  float* scale;
  std::int64_t parts;
  float norm_max;
};

__global__ void find_scale(const ScaleParameters p) {
  take_turn();
  float sum = 0.0f;
  for (std::int64_t i = threadIdx.x; i < p.parts; i += threads) sum += p.partials[i];
  sum = block_reduce<Sum>(sum);
  if (threadIdx.x == 0) *p.scale = fminf(1.0f, p.norm_max / (sqrtf(sum) + 1e-6f));
}

template <class T>
__global__ void find_not_finite(const __grid_constant__ GradientsParameters p) {
  take_turn();
  const Part part = part_of(p);
  int found = 0;
  for (std::int64_t i = part.first + threadIdx.x; i < part.last; i += threads)
    found |= isfinite(to_float(static_cast<const T*>(part.values)[i])) ? 0 : 1;
  found = __syncthreads_or(found);
  if (threadIdx.x == 0) p.partials[blockIdx.x] = found != 0 ? 1.0f : 0.0f;
}

struct OverflowParameters {
  std::int32_t* overflow;
  const float* partials;
  std::int64_t parts;
};

__global__ void count_overflow(const OverflowParameters p) {
  take_turn();
  int found = 0;
  for (std::int64_t i = threadIdx.x; i < p.parts; i += threads) found |= p.partials[i] != 0.0f ? 1 : 0;
  found = __syncthreads_or(found);
  if (threadIdx.x != 0) return;
  p.overflow[0] = found != 0 ? 1 : 0;
  p.overflow[1] += found != 0 ? 1 : 0;
}

// The workspace, as GradientsParameters has it.
float* scale_place(const OpContext& context) {
  return static_cast<float*>(context.workspace);
}
float* partials_place(const OpContext& context) {
  return scale_place(context) + 64;
}

// Calls launch(blocks, parameters, pointers) for each launch over the gradients, the inputs from `ahead` on.
// Returns how many blocks there are.
template <class Launch>
std::int64_t over_gradients(const OpContext& context, const ir::OpCall& call, std::size_t ahead,
                            Source loss_scale, const Launch& launch) {
  std::int64_t parts = 0;
  for (std::size_t first = ahead; first < call.input_count; first += gradients_max) {
    const std::size_t last = std::min(first + gradients_max, call.input_count);
    GradientsParameters parameters{};
    parameters.scale = scale_place(context);
    parameters.partials = partials_place(context) + parts;
    std::vector<Source> pointers{loss_scale};
    unsigned blocks = 0;
    for (std::size_t i = first; i < last; ++i) {
      pointers.push_back(operand_source(i));
      parameters.elements[i - first] = call.input(i).elements();
      blocks += blocks_for(call.input(i).elements(), per_block);
      parameters.blocks_end[i - first] = blocks;
    }
    parts += blocks;
    launch(dim3(blocks), parameters, pointers);
  }
  if ((static_cast<std::size_t>(parts) + 64) * sizeof(float) > context.workspace_bytes)
    refuse(call, "its partial sums are larger than the workspace");
  return parts;
}

// `ahead`: of the gradients stands their scale, where there is one.
PreparedOp prepare_clip(OpContext& context, const ir::OpCall& call, std::size_t ahead) {
  const ir::DType dtype = call.input(ahead).dtype;
  const void* const sum = kernel_for(call, dtype, [](auto t) { return &sum_squares<decltype(t)>; });
  const void* const scale = kernel_for(call, dtype, [](auto t) { return &scale_gradients<decltype(t)>; });
  PreparedOp prepared;
  std::vector<NativeCall> scaling;
  const std::int64_t parts = over_gradients(
      context, call, ahead, ahead == 0 ? fixed_source(nullptr) : operand_source(0),
      [&](dim3 blocks, const auto& parameters, const auto& pointers) {
        prepared.calls.emplace_back(long_kernel_call(sum, blocks, dim3(threads), parameters, pointers));
        scaling.emplace_back(long_kernel_call(scale, blocks, dim3(threads), parameters, pointers));
      });
  prepared.calls.emplace_back(
      kernel_call(reinterpret_cast<const void*>(&find_scale), dim3(1), dim3(threads),
                  ScaleParameters{partials_place(context), scale_place(context), parts,
                                  static_cast<float>(ir::real_attribute(*call.op, "max_norm"))},
                  {}));
  for (NativeCall& each : scaling) prepared.calls.push_back(std::move(each));
  return prepared;
}

}  // namespace

PreparedOp prepare_find_overflow(OpContext& context, const ir::OpCall& call) {
  const void* const find =
      kernel_for(call, call.input(1).dtype, [](auto t) { return &find_not_finite<decltype(t)>; });
  PreparedOp prepared;
  const std::int64_t parts = over_gradients(
      context, call, 1, fixed_source(nullptr),
      [&](dim3 blocks, const auto& parameters, const auto& pointers) {
        prepared.calls.emplace_back(long_kernel_call(find, blocks, dim3(threads), parameters, pointers));
      });
  prepared.calls.emplace_back(
      kernel_call(reinterpret_cast<const void*>(&count_overflow), dim3(1), dim3(threads),
                  OverflowParameters{nullptr, partials_place(context), parts}, {operand_source(0)}));
  return prepared;
}

PreparedOp prepare_clip_norm(OpContext& context, const ir::OpCall& call) {
  return prepare_clip(context, call, 0);
}
PreparedOp prepare_clip_norm_scaled(OpContext& context, const ir::OpCall& call) {
  return prepare_clip(context, call, 1);
}

}  // namespace graphbench::cuda
