// Losses: every block computes its partial loss and the gradients of its elements. Then one block adds the
// partial losses in order.
#include <algorithm>

#include "graphs/cuda/ops/kernel_support.cuh"

namespace graphbench::cuda {
namespace {

constexpr unsigned loss_threads = 256;

struct SumParameters {
  const float* partials;
  float* loss;
  std::int64_t parts;
  float factor;
};

__global__ void sum_loss(const SumParameters p) {
  take_turn();
  float sum = 0.0f;
  for (std::int64_t i = threadIdx.x; i < p.parts; i += blockDim.x) sum += p.partials[i];
  sum = block_reduce<Sum>(sum);
  if (threadIdx.x == 0) *p.loss = sum * p.factor;
}

struct MseParameters {
  const void* y;
  const void* target;
  void* dy;
  float* partials;
  std::int64_t elements;
  float slope;
};

template <class T>
__global__ void mse_loss(const MseParameters p) {
  take_turn();
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  float squares = 0.0f;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < p.elements; i += stride) {
    const float difference =
        to_float(static_cast<const T*>(p.y)[i]) - to_float(static_cast<const T*>(p.target)[i]);
    squares += difference * difference;
    static_cast<T*>(p.dy)[i] = from_float<T>(p.slope * difference);
  }
  squares = block_reduce<Sum>(squares);
  if (threadIdx.x == 0) p.partials[blockIdx.x] = squares;
}

struct CrossEntropyParameters {
  const void* y;
  const std::int32_t* target;
  void* dy;
  float* partials;
  std::int64_t columns;
  float slope;
};

template <class T>
__global__ void cross_entropy_loss(const CrossEntropyParameters p) {
  take_turn();
  const T* y = static_cast<const T*>(p.y) + std::int64_t{blockIdx.x} * p.columns;
  T* dy = static_cast<T*>(p.dy) + std::int64_t{blockIdx.x} * p.columns;
  const std::int32_t target = p.target[blockIdx.x];
  float largest = Max::identity;
  for (std::int64_t c = threadIdx.x; c < p.columns; c += blockDim.x) largest = fmaxf(largest, to_float(y[c]));
  largest = block_reduce<Max>(largest);
  float sum = 0.0f;
  for (std::int64_t c = threadIdx.x; c < p.columns; c += blockDim.x) sum += expf(to_float(y[c]) - largest);
  sum = block_reduce<Sum>(sum);
  for (std::int64_t c = threadIdx.x; c < p.columns; c += blockDim.x) {
    const float softmax = expf(to_float(y[c]) - largest) / sum;
    dy[c] = from_float<T>(p.slope * (softmax - (c == target ? 1.0f : 0.0f)));
  }
  if (threadIdx.x == 0) p.partials[blockIdx.x] = logf(sum) + largest - to_float(y[target]);
}

// The loss is the first output, the gradient the second.
PreparedOp prepare_loss(OpContext& context, const ir::OpCall& call, KernelCall part, double factor) {
  const std::int64_t parts = part.grid.x;
  if (static_cast<std::size_t>(parts) * sizeof(float) > context.workspace_bytes)
    refuse(call, "the losses of the rows are larger than the workspace");
  PreparedOp prepared;
  prepared.calls.emplace_back(std::move(part));
  prepared.calls.push_back(kernel_call(reinterpret_cast<const void*>(&sum_loss), dim3(1), dim3(loss_threads),
                                       SumParameters{nullptr, nullptr, parts, static_cast<float>(factor)},
                                       {fixed_source(context.workspace), operand_source(call.input_count)}));
  return prepared;
}

}  // namespace

PreparedOp prepare_mse_loss(OpContext& context, const ir::OpCall& call) {
  const std::int64_t elements = call.input(0).elements();
  const double factor = ir::real_attribute(*call.op, "scale") / static_cast<double>(elements);
  const void* function = kernel_for(call, [](auto t) { return &mse_loss<decltype(t)>; });
  const unsigned blocks = std::min(blocks_for(elements, loss_threads), 1024U);
  return prepare_loss(
      context, call,
      kernel_call(function, dim3(blocks), dim3(loss_threads),
                  MseParameters{nullptr, nullptr, nullptr, static_cast<float*>(context.workspace), elements,
                                static_cast<float>(2 * factor)},
                  {operand_source(0), operand_source(1), operand_source(call.input_count + 1)}),
      factor);
}

PreparedOp prepare_cross_entropy_loss(OpContext& context, const ir::OpCall& call) {
  const RowsColumns shape = rows_columns(call.input(0));
  const double factor = ir::real_attribute(*call.op, "scale") / static_cast<double>(shape.rows);
  const void* function = kernel_for(call, [](auto t) { return &cross_entropy_loss<decltype(t)>; });
  return prepare_loss(
      context, call,
      kernel_call(function, dim3(static_cast<unsigned>(shape.rows)), dim3(loss_threads),
                  CrossEntropyParameters{nullptr, nullptr, nullptr, static_cast<float*>(context.workspace),
                                         shape.columns, static_cast<float>(factor)},
                  {operand_source(0), operand_source(1), operand_source(call.input_count + 1)}),
      factor);
}

}  // namespace graphbench::cuda
