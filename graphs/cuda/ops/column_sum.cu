// Computes column_sum, and the second stage of every op's sum over rows, which adds the partial sums.
#include "graphs/cuda/ops/column_sum.cuh"

namespace graphbench::cuda {
namespace {

struct SumPartialsParameters {
  const void* sum;
  void* y;
  const float* partials;
  std::int64_t parts;
  std::int64_t columns;
  bool accumulate;
};

template <class T>
__global__ void sum_partials(const SumPartialsParameters p) {
  take_turn();
  const std::int64_t column = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column >= p.columns) return;
  float sum = 0.0f;
  for (std::int64_t part = 0; part < p.parts; ++part) sum += p.partials[part * p.columns + column];
  if (p.accumulate) sum += to_float(static_cast<const T*>(p.sum)[column]);
  static_cast<T*>(p.y)[column] = from_float<T>(sum);
}

struct Element {
  template <class T>
  __device__ __forceinline__ static float of(const ColumnSumParameters& p, std::int64_t, std::int64_t at) {
    return to_float(static_cast<const T*>(p.a)[at]);
  }
};

}  // namespace

KernelCall sum_partials_call(const ir::OpCall& call, float* partials, std::int64_t parts,
                             std::int64_t columns, std::size_t sum_operand) {
  constexpr unsigned threads = 128;
  const bool accumulate = ir::integer_attribute(*call.op, "accumulate") != 0;
  const void* function = kernel_for(
      call, [](auto t) { return &sum_partials<decltype(t)>; }, call.input_count);
  return kernel_call(function, dim3(blocks_for(columns, threads)), dim3(threads),
                     SumPartialsParameters{nullptr, nullptr, partials, parts, columns, accumulate},
                     {operand_source(accumulate ? sum_operand : 0), operand_source(call.input_count)});
}

PreparedOp prepare_column_sum(OpContext& context, const ir::OpCall& call) {
  PreparedOp prepared;
  append_column_sum<Element>(prepared, call, nullptr, context.workspace, context.workspace_bytes, 1);
  if (ir::integer_attribute(*call.op, "accumulate") != 0) prepared.in_place_input = 1;
  return prepared;
}

}  // namespace graphbench::cuda
