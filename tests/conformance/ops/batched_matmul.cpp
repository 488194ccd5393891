// batched_matmul: its definition, and cases of every option.
#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> products(const ir::OpCall& call, std::vector<Tensor>& in) {
  const ir::TensorDesc& a = call.input(0);
  const bool transposed = given<std::int64_t>(call, "transpose_b", 0) == 1;
  const bool merged = given<std::int64_t>(call, "merge_heads", 0) == 1;
  const double scale = given<double>(call, "scale", 1.0);
  const Index batch = extent(a, 0), heads = extent(a, 1), rows = extent(a, 2), depth = extent(a, 3);
  const Index columns = extent(call.input(1), transposed ? 2 : 3);
  Tensor out(batch * heads * rows * columns);
  for (Index i = 0; i < out.size(); ++i) {
    const Index column = i % columns, row = i / columns % rows, matrix = i / columns / rows;
    double sum = 0;
    for (Index k = 0; k < depth; ++k) {
      const Index b = transposed ? column * depth + k : k * columns + column;
      sum += in[0][(matrix * rows + row) * depth + k] * in[1][matrix * depth * columns + b];
    }
    const Index place =
        merged ? ((matrix / heads * rows + row) * heads + matrix % heads) * columns + column : i;
    out[place] = scale * sum;
  }
  return {out};
}

OpCase product(std::string name, std::int64_t rows, std::int64_t columns, std::int64_t depth, bool transposed,
               bool merged, double scale = 1.0) {
  const auto matrices = [](std::int64_t height, std::int64_t width) {
    return OpCase::Input{{of_batch(), fixed_dim(3), fixed_dim(height), fixed_dim(width)}, uniform(1)};
  };
  return {
      std::move(name),
      {matrices(rows, depth), transposed ? matrices(columns, depth) : matrices(depth, columns)},
      {{"transpose_b", std::int64_t{transposed}}, {"merge_heads", std::int64_t{merged}}, {"scale", scale}},
      2};
}

const OpRegistration registration("batched_matmul", products,
                                  {product("batched_matmul", 5, 16, 24, false, false),
                                   product("batched_matmul_scores", 7, 24, 16, true, false, 0.25),
                                   product("batched_matmul_score", 1, 40, 16, true, false, 0.25),
                                   product("batched_matmul_merged", 6, 16, 24, false, true),
                                   product("batched_matmul_merged_row", 1, 16, 24, false, true),
                                   product("batched_matmul_odd", 3, 5, 7, false, true)});

}  // namespace
}  // namespace graphbench::conformance
