// Sums over rows in a fixed order: first, blocks sum parts of the rows; then the partial sums are added.
#pragma once

#include <algorithm>

#include "graphs/cuda/ops/kernel_support.cuh"

namespace graphbench::cuda {

struct ColumnSumParameters {
  const void* a = nullptr;
  const void* b = nullptr;
  const float* scales = nullptr;  // one per row
  float* partials = nullptr;      // [parts, columns]
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t rows_a_part;
};

constexpr int column_sum_lanes = 8;

// `Term::of<T>(parameters, row, at)` returns the summand; `at` is an element index. A block sums 32 columns
// of one part, column_sum_lanes rows at a time.
template <class T, class Term>
__global__ void column_partials(const ColumnSumParameters p) {
  take_turn();
  __shared__ float lanes[column_sum_lanes][32];
  const std::int64_t column = std::int64_t{blockIdx.x} * 32 + threadIdx.x;
  const std::int64_t first = blockIdx.y * p.rows_a_part;
  const std::int64_t last = min(first + p.rows_a_part, p.rows);
  float sum = 0.0f;
  if (column < p.columns) {
    for (std::int64_t row = first + threadIdx.y; row < last; row += column_sum_lanes)
      sum += Term::template of<T>(p, row, row * p.columns + column);
  }
  lanes[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= p.columns) return;
  for (int lane = 1; lane < column_sum_lanes; ++lane) sum += lanes[lane][threadIdx.x];
  p.partials[blockIdx.y * p.columns + column] = sum;
}

// The second stage adds the `parts` rows of `partials` and, if the op accumulates, `sum_operand`.
KernelCall sum_partials_call(const ir::OpCall& call, float* partials, std::int64_t parts,
                             std::int64_t columns, std::size_t sum_operand);

// A number of parts whose sums fit in `bytes`. Refuses the op if the sums of one part do not fit.
inline std::int64_t parts_of(const ir::OpCall& call, std::int64_t rows, std::int64_t columns,
                             std::int64_t rows_worth_a_part, std::size_t bytes) {
  const std::int64_t most = static_cast<std::int64_t>(bytes / sizeof(float)) / columns;
  if (most < 1) refuse(call, "the op's partial sums are larger than the workspace");
  return std::clamp<std::int64_t>(rows / rows_worth_a_part, 1, std::min<std::int64_t>(most, 128));
}

// Appends both stages of a sum. `scales`: null if the term needs none. `bytes`: the size of `partials`.
template <class Term>
void append_column_sum(PreparedOp& prepared, const ir::OpCall& call, const float* scales, void* partials,
                       std::size_t bytes, std::size_t sum_operand) {
  const RowsColumns shape = rows_columns(call.input(0));
  const std::int64_t parts = parts_of(call, shape.rows, shape.columns, 64, bytes);
  const ColumnSumParameters parameters{.scales = scales,
                                       .partials = static_cast<float*>(partials),
                                       .rows = shape.rows,
                                       .columns = shape.columns,
                                       .rows_a_part = (shape.rows + parts - 1) / parts};
  const void* function = kernel_for(call, [](auto t) { return &column_partials<decltype(t), Term>; });
  prepared.calls.push_back(kernel_call(
      function, dim3(blocks_for(shape.columns, 32), static_cast<unsigned>(parts)), dim3(32, column_sum_lanes),
      parameters, {operand_source(0), operand_source(sum_operand == 1 ? 0 : 1)}));
  prepared.calls.push_back(
      sum_partials_call(call, static_cast<float*>(partials), parts, shape.columns, sum_operand));
}

}  // namespace graphbench::cuda
