// softmax: its definition and a case.
#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> softmax_of_rows(const ir::OpCall& call, std::vector<Tensor>& in) {
  Tensor out = in[0];
  const Index columns = extent(call.input(0), 1);
  for (Index at = 0; at < out.size(); at += columns) softmax(&out[at], columns);
  return {out};
}

const OpRegistration registration{
    "softmax", softmax_of_rows, {{"softmax", "softmax", {{{of_batch(), fixed_dim(37)}, uniform(3)}}, {}, 5}}};

}  // namespace
}  // namespace graphbench::conformance
