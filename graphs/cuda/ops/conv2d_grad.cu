// Computes the gradients of conv2d by our own kernels if cuDNN has no plan. The kernels do not unfold images
// into rows (im2col), use no atomics, and add every sum in a fixed order.
#include "graphs/cuda/ops/column_sum.cuh"
#include "graphs/cuda/ops/convolution.hpp"

namespace graphbench::cuda {
namespace {

constexpr unsigned conv2d_grad_threads = 256;

struct Conv2dGradInputParameters {
  const void* dy;
  const void* w;
  const void* sum;
  void* dx;
  std::int64_t elements;
  ConvolutionGeometry shape;
  bool accumulate;
};

// One thread per element of dx. Consecutive threads have consecutive channels, so they read the same dy and
// consecutive elements of w.
template <class T>
__global__ void conv2d_grad_input(const Conv2dGradInputParameters p) {
  take_turn();
  const ConvolutionGeometry& g = p.shape;
  const std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= p.elements) return;
  std::int64_t rest = at;
  const auto next = [&rest](int extent) {
    const int index = static_cast<int>(rest % extent);
    rest /= extent;
    return index;
  };
  const int c = next(g.channels);
  const int x = next(g.width);
  const int y = next(g.height);
  const std::int64_t filter_elements = std::int64_t{g.window} * g.window * g.channels;
  float sum = p.accumulate ? to_float(static_cast<const T*>(p.sum)[at]) : 0.0f;
  for (int r = 0; r < g.window; ++r) {
    const int from_y = y - r + g.padding;
    if (from_y < 0 || from_y % g.stride != 0 || from_y / g.stride >= g.out_height) continue;
    for (int s = 0; s < g.window; ++s) {
      const int from_x = x - s + g.padding;
      if (from_x < 0 || from_x % g.stride != 0 || from_x / g.stride >= g.out_width) continue;
      const T* dy = static_cast<const T*>(p.dy) +
                    ((rest * g.out_height + from_y / g.stride) * g.out_width + from_x / g.stride) * g.filters;
      const T* w = static_cast<const T*>(p.w) + (std::int64_t{r} * g.window + s) * g.channels + c;
      for (int k = 0; k < g.filters; ++k) sum += to_float(dy[k]) * to_float(w[k * filter_elements]);
    }
  }
  static_cast<T*>(p.dx)[at] = from_float<T>(sum);
}

struct GradWeightParameters {
  const void* dy;
  const void* x;
  float* partials;  // [parts, filters, window, window, channels]
  std::int64_t rows_a_part;
  ConvolutionGeometry shape;
};

// A row is one output position of one image. A block sums the rows of part blockIdx.z, column_sum_lanes rows
// at a time, for 32 channels of one filter element, which blockIdx.y encodes.
template <class T>
__global__ void conv2d_grad_weight_partials(const GradWeightParameters p) {
  take_turn();
  const ConvolutionGeometry& g = p.shape;
  __shared__ float lanes[column_sum_lanes][32];
  const int c = static_cast<int>(blockIdx.x) * 32 + static_cast<int>(threadIdx.x);
  const int s = static_cast<int>(blockIdx.y) % g.window;
  const int r = static_cast<int>(blockIdx.y) / g.window % g.window;
  const int k = static_cast<int>(blockIdx.y) / (g.window * g.window);
  const std::int64_t rows = g.images * g.out_height * g.out_width;
  const std::int64_t first = blockIdx.z * p.rows_a_part;
  const std::int64_t last = first + p.rows_a_part < rows ? first + p.rows_a_part : rows;
  float sum = 0.0f;
  for (std::int64_t row = first + threadIdx.y; row < last && c < g.channels; row += column_sum_lanes) {
    const int x = static_cast<int>(row % g.out_width) * g.stride + s - g.padding;
    const int y = static_cast<int>(row / g.out_width % g.out_height) * g.stride + r - g.padding;
    if (x < 0 || x >= g.width || y < 0 || y >= g.height) continue;
    const std::int64_t image = row / (std::int64_t{g.out_width} * g.out_height);
    sum += to_float(static_cast<const T*>(p.dy)[row * g.filters + k]) *
           to_float(static_cast<const T*>(p.x)[((image * g.height + y) * g.width + x) * g.channels + c]);
  }
  lanes[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || c >= g.channels) return;
  for (int lane = 1; lane < column_sum_lanes; ++lane) sum += lanes[lane][threadIdx.x];
  const std::int64_t outputs = std::int64_t{gridDim.y} * g.channels;
  p.partials[blockIdx.z * outputs + std::int64_t{blockIdx.y} * g.channels + c] = sum;
}

PreparedOp prepare_grad_input(const ConvolutionShape& shape, const ir::OpCall& call) {
  const std::int64_t elements = call.output(0).elements();
  const void* function = kernel_for(call, [](auto t) { return &conv2d_grad_input<decltype(t)>; });
  return one_launch(
      kernel_call(function, dim3(blocks_for(elements, conv2d_grad_threads)), dim3(conv2d_grad_threads),
                  Conv2dGradInputParameters{nullptr, nullptr, nullptr, nullptr, elements,
                                            ConvolutionGeometry(shape), shape.has_residual},
                  {operand_source(0), operand_source(1), operand_source(shape.has_residual ? 2 : 0),
                   operand_source(call.input_count)}));
}

PreparedOp prepare_grad_weight(OpContext& context, const ConvolutionShape& shape, const ir::OpCall& call) {
  const std::int64_t outputs = call.output(0).elements();
  const std::int64_t rows = shape.batch * shape.out_height * shape.out_width;
  const std::int64_t parts = parts_of(call, rows, outputs, 512, context.workspace_bytes);
  auto* const partials = static_cast<float*>(context.workspace);
  const void* function = kernel_for(call, [](auto t) { return &conv2d_grad_weight_partials<decltype(t)>; });
  const dim3 grid(blocks_for(shape.channels, 32),
                  static_cast<unsigned>(shape.filters * shape.window * shape.window),
                  static_cast<unsigned>(parts));
  PreparedOp prepared;
  prepared.calls.push_back(
      kernel_call(function, grid, dim3(32, column_sum_lanes),
                  GradWeightParameters{nullptr, nullptr, partials, (rows + parts - 1) / parts,
                                       ConvolutionGeometry(shape)},
                  {operand_source(0), operand_source(1)}));
  prepared.calls.push_back(sum_partials_call(call, partials, parts, outputs, 2));
  return prepared;
}

}  // namespace

PreparedOp prepare_direct_gradient(OpContext& context, const ConvolutionShape& shape,
                                   const ir::OpCall& call) {
  PreparedOp prepared = shape.result == ConvolutionResult::dx ? prepare_grad_input(shape, call)
                                                              : prepare_grad_weight(context, shape, call);
  if (shape.has_residual) prepared.in_place_input = 2;  // each thread reads an element before it writes it
  return prepared;
}

}  // namespace graphbench::cuda
