// Losses: every block computes its partial loss and the gradients of its elements. Then one block adds the
// partial losses in order. Each kernel waits in take_turn() for what it reads.
#include <algorithm>

#include "graphs/cuda/ops/kernel_support.cuh"

namespace graphbench::cuda {
namespace {

constexpr unsigned loss_threads = 256;

// In all structs of parameters, pointers are bound to operands before a launch, in the order of
// prepare_loss().
struct SumParameters {
  const float* partials;
  float* loss;
  std::int64_t parts;
  float factor;  // by which the sum of the partial losses becomes the loss
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
  float* partials;  // is not bound
  std::int64_t elements;
  float slope;  // dy = slope * (y - target)
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
  float* partials;  // is not bound
  std::int64_t columns;
  float slope;  // dy = slope * (softmax(y) - onehot(target))
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

// `parameters` are those of `function`, without pointers.
template <class Parameters>
PreparedOp prepare_loss(OpContext& context, const ir::OpCall& call, const void* function, unsigned blocks,
                        Parameters parameters, double factor) {
  if (std::size_t{blocks} * sizeof(float) > context.workspace_bytes)
    refuse(call, "the losses of the rows are larger than the workspace");
  parameters.partials = static_cast<float*>(context.workspace);
  const Source y = operand_source(0), target = operand_source(1), loss = operand_source(call.input_count),
               dy = operand_source(call.input_count + 1);
  PreparedOp prepared;
  prepared.calls.emplace_back(
      kernel_call(function, dim3(blocks), dim3(loss_threads), parameters, {y, target, dy}));
  prepared.calls.emplace_back(
      kernel_call(reinterpret_cast<const void*>(&sum_loss), dim3(1), dim3(loss_threads),
                  SumParameters{.parts = std::int64_t{blocks}, .factor = static_cast<float>(factor)},
                  {fixed_source(context.workspace), loss}));
  return prepared;
}

}  // namespace

PreparedOp prepare_mse_loss(OpContext& context, const ir::OpCall& call) {
  const std::int64_t elements = call.input(0).elements();
  const double factor = ir::real_attribute(*call.op, "scale") / static_cast<double>(elements);
  const void* function = kernel_for(call, [](auto t) { return &mse_loss<decltype(t)>; });
  const unsigned blocks = std::min(blocks_for(elements, loss_threads), 1024U);
  return prepare_loss(context, call, function, blocks,
                      MseParameters{.elements = elements, .slope = static_cast<float>(2 * factor)}, factor);
}

PreparedOp prepare_cross_entropy_loss(OpContext& context, const ir::OpCall& call) {
  const RowsColumns shape = rows_columns(call.input(0));
  const double factor = ir::real_attribute(*call.op, "scale") / static_cast<double>(shape.rows);
  const void* function = kernel_for(call, [](auto t) { return &cross_entropy_loss<decltype(t)>; });
  return prepare_loss(context, call, function, static_cast<unsigned>(shape.rows),
                      CrossEntropyParameters{.columns = shape.columns, .slope = static_cast<float>(factor)},
                      factor);
}

}  // namespace graphbench::cuda
