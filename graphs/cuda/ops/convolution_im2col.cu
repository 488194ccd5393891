// Computes conv2d without cuDNN: unfolds a few images at a time into rows of windows in the device's
// workspace, and multiplies these rows by the filters with cuBLASLt.
#include <algorithm>

#include "graphs/cuda/ops/convolution.hpp"
#include "graphs/cuda/ops/kernel_support.cuh"
#include "graphs/cuda/ops/matmul.hpp"

namespace graphbench::cuda {
namespace {

struct Im2colParameters {
  const void* x;
  void* rows;
  std::int64_t elements;
  ConvolutionGeometry shape;
};

template <class T>
__global__ void im2col_kernel(const Im2colParameters p) {
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
  const int s = next(g.window);
  const int r = next(g.window);
  const int x = next(g.out_width) * g.stride + s - g.padding;
  const int y = next(g.out_height) * g.stride + r - g.padding;
  const bool inside = x >= 0 && x < g.width && y >= 0 && y < g.height;
  const std::int64_t source = ((rest * g.height + y) * g.width + x) * g.channels + c;
  static_cast<T*>(p.rows)[at] = inside ? static_cast<const T*>(p.x)[source] : from_float<T>(0.0f);
}

KernelCall im2col_call(const ConvolutionShape& shape, std::int64_t first_image, std::int64_t images,
                       void* rows, const ir::OpCall& call) {
  constexpr unsigned threads = 256;
  const std::int64_t image_elements = shape.height * shape.width * shape.channels;
  const std::int64_t elements =
      images * shape.out_height * shape.out_width * shape.window * shape.window * shape.channels;
  const Im2colParameters parameters{nullptr, nullptr, elements, ConvolutionGeometry(shape)};
  const void* function = kernel_for(call, [](auto t) { return &im2col_kernel<decltype(t)>; });
  const std::size_t offset =
      static_cast<std::size_t>(first_image * image_elements) * ir::size_of(shape.dtype);
  return kernel_call(function, dim3(blocks_for(elements, threads)), dim3(threads), parameters,
                     {operand_source(0, offset), fixed_source(rows)});
}

}  // namespace

PreparedOp prepare_im2col_convolution(OpContext& context, const ConvolutionShape& shape,
                                      const ir::OpCall& call) {
  const std::size_t element = ir::size_of(shape.dtype);
  const std::int64_t pixels = shape.out_height * shape.out_width;
  MatmulSpec spec;
  spec.n = shape.filters;
  spec.k = shape.window * shape.window * shape.channels;
  spec.dtype = shape.dtype;
  spec.w = operand_source(1);
  spec.has_bias = shape.has_bias;
  spec.has_residual = shape.has_residual;
  spec.activation = shape.activation;
  spec.activation_last = true;
  if (spec.has_bias) spec.bias = operand_source(shape.bias_operand());
  // Three quarters of the workspace hold unfolded rows; cuBLASLt gets the rest.
  const std::size_t rows_bytes = context.workspace_bytes / 4 * 3;
  const std::size_t image_bytes = static_cast<std::size_t>(pixels * spec.k) * element;
  const std::int64_t fitting = static_cast<std::int64_t>(rows_bytes / image_bytes);
  const std::int64_t per_chunk = std::clamp<std::int64_t>(fitting, 1, shape.batch);
  if (per_chunk < shape.batch) {  // a later chunk starts at a multiple of the chunk's bytes
    const std::uint64_t step = static_cast<std::uint64_t>(per_chunk * pixels * spec.n) * element;
    spec.alignment = static_cast<std::uint32_t>(std::min<std::uint64_t>(step & (~step + 1), 256));
  }
  PreparedOp prepared;
  void* rows = context.workspace;
  if (fitting == 0) {
    prepared.buffers.emplace_back(*context.memory, image_bytes, MemoryKind::workspace);
    rows = prepared.buffers.back().data();
  }
  spec.x = fixed_source(rows);
  spec.workspace = static_cast<std::byte*>(context.workspace) + rows_bytes;
  spec.workspace_bytes = context.workspace_bytes - rows_bytes;
  for (std::int64_t first = 0; first < shape.batch; first += per_chunk) {
    const std::int64_t images = std::min(per_chunk, shape.batch - first);
    const std::size_t offset = static_cast<std::size_t>(first * pixels * spec.n) * element;
    spec.rows = images * pixels;
    spec.y = operand_source(call.input_count, offset);
    if (spec.has_residual) spec.residual = operand_source(shape.residual_operand(), offset);
    prepared.calls.emplace_back(im2col_call(shape, first, images, rows, call));
    append_matmul(prepared, context, spec, call);
  }
  return prepared;
}

}  // namespace graphbench::cuda
