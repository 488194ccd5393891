// The gradients of linear: the same products with an operand stored the other way round. The sum so far is
// cuBLASLt's C, which may be D.
#include "graphs/cuda/ops/matmul.hpp"

namespace graphbench::cuda {
namespace {

PreparedOp prepare_product(OpContext& context, const ir::OpCall& call, MatmulSpec spec) {
  spec.dtype = call.input(0).dtype;
  if (spec.dtype == ir::DType::i32) refuse(call, "element type i32");
  spec.n = call.output(0).dims.at(1);
  spec.rows = call.output(0).dims.at(0);
  spec.has_residual = ir::integer_attribute(*call.op, "accumulate") != 0;
  if (spec.has_residual) spec.residual = operand_source(2);
  spec.y = operand_source(call.input_count);
  spec.workspace = context.workspace;
  spec.workspace_bytes = context.workspace_bytes;
  PreparedOp prepared;
  append_matmul(prepared, context, spec, call);
  if (spec.has_residual) prepared.in_place_input = 2;
  return prepared;
}

}  // namespace

PreparedOp prepare_linear_grad_input(OpContext& context, const ir::OpCall& call) {
  MatmulSpec spec;
  spec.k = call.input(0).dims.at(1);
  spec.x = operand_source(0);
  spec.w = operand_source(1);
  spec.w_transposed = true;
  return prepare_product(context, call, spec);
}

PreparedOp prepare_linear_grad_weight(OpContext& context, const ir::OpCall& call) {
  MatmulSpec spec;
  spec.k = call.input(0).dims.at(0);
  spec.x = operand_source(0);
  spec.w = operand_source(1);
  spec.x_transposed = true;
  spec.w_transposed = true;
  return prepare_product(context, call, spec);
}

}  // namespace graphbench::cuda
