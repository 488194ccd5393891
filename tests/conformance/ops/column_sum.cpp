// column_sum: its definition and cases.
#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> column_sum(const ir::OpCall& call, std::vector<Tensor>& in) {
  const Index columns = extent(call.output(0), 0);
  Tensor sum = in.size() == 2 ? in[1] : Tensor(columns);
  for (Index i = 0; i < in[0].size(); ++i) sum[i % columns] += in[0][i];
  return {sum};
}

const OpCase::Input rows{{of_batch(), fixed_dim(75)}, uniform(1)};
const OpCase::Input image{{of_batch(), fixed_dim(9), fixed_dim(7), fixed_dim(8)}, uniform(0.1)};
const ir::Attributes accumulating{{"accumulate", one}};

const OpRegistration registration{
    "column_sum",
    column_sum,
    {{"column_sum", {rows}, {}, 5},
     {"column_sum_one_row", {rows}, {}, 1},
     {"column_sum_image", {image}, {}, 6},
     {"column_sum_added", {rows, {{fixed_dim(75)}, uniform(1)}}, accumulating, 3}}};

}  // namespace
}  // namespace graphbench::conformance
