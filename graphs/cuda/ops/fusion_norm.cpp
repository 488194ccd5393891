// A residual sum and the rmsnorm of it in one kernel: behind a product, whose parts that kernel adds up as
// well, or behind nothing.
//
// The product goes into fp32 parts, so that the sum is rounded once, as it is in a product's own epilogue.
// They are twice the bytes of a 16-bit result and more, but where rows are few they stay in the L2 cache, and
// dividing a product's columns needs a kernel to add the parts up in any case.
#include "graphs/cuda/ops/fusion.hpp"
#include "graphs/cuda/ops/matmul.hpp"

namespace graphbench::cuda {
namespace {

constexpr std::int64_t slices_max = 16;
constexpr std::int64_t sliced_rows_max = 1024;  // more rows fill the device without dividing columns
constexpr std::size_t parts_max = std::size_t{16} << 20;  // bytes: they come out of the shared workspace
constexpr std::size_t slice_alignment = 256;              // bytes of a row's slice, so that all begin aligned

std::size_t bytes_of(const MatmulSpec& spec, std::int64_t slices) {
  return static_cast<std::size_t>(spec.rows * spec.n * slices) * sizeof(float);
}

bool divides(const MatmulSpec& spec, std::int64_t slices) {
  if (bytes_of(spec, slices) > parts_max) return false;
  if (slices == 1) return true;
  return spec.rows <= sliced_rows_max && spec.k % slices == 0 &&
         static_cast<std::size_t>(spec.k / slices) * ir::size_of(spec.dtype) % slice_alignment == 0;
}

std::string key_of(const OpContext& context, const MatmulSpec& spec) {
  const auto text = [](auto value) { return std::to_string(value); };
  return "matmul and rmsnorm rows " + text(spec.rows) + " n " + text(spec.n) + " k " + text(spec.k) + " " +
         std::string(ir::name_of(spec.dtype)) + " activation " + text(static_cast<int>(spec.activation)) +
         (spec.has_bias ? " bias" : "") + (spec.has_residual ? " residual" : "") +
         (spec.weights_constant ? " constant weights" : "") + (context.programmatic ? " programmatic" : "");
}

SumRmsnorm sum_of(const MatmulSpec& product, const FusionCall& call) {
  const std::size_t norm = call.first.operands.size();  // where the norm's operands begin
  SumRmsnorm sum;
  sum.rows = product.rows;
  sum.columns = product.n;
  sum.dtype = product.dtype;
  sum.bias = product.bias;
  sum.residual = product.residual;
  sum.y = product.y;
  sum.gamma = operand_source(norm + 1);
  sum.normed = operand_source(norm + 2);
  sum.activation = product.activation;
  sum.eps = static_cast<float>(ir::real_attribute(*call.second.op, "eps"));
  sum.weights_constant = product.weights_constant && call.second.is_weight(1);
  return sum;
}

std::vector<NativeCall> calls_of(OpContext& context, const FusionCall& call, MatmulSpec product,
                                 std::int64_t slices) {
  // The parts lie at the workspace's end, out of the reach of what cuBLASLt uses of it.
  GRAPHBENCH_ASSERT(product.workspace_bytes > parts_max);
  product.workspace_bytes -= parts_max;
  void* parts = static_cast<std::byte*>(product.workspace) + product.workspace_bytes;
  const std::optional<NativeCall> chosen = sliced_product(context, product, slices, parts, call.first);
  if (!chosen) return {};
  SumRmsnorm sum = sum_of(product, call);
  sum.sums = fixed_source(parts);
  sum.slices = slices;
  return {*chosen, sum_rmsnorm_call(context, sum, call.second)};
}

}  // namespace

std::optional<PreparedOp> fuse_product_norm(OpContext& context, const FusionCall& call) {
  const MatmulSpec product = linear_spec(context, call.first);
  FusionCandidates candidates;
  candidates.key = key_of(context, product);
  std::vector<std::int64_t> divisions;
  for (std::int64_t slices = 1; slices <= slices_max; slices *= 2) {
    if (!divides(product, slices)) continue;
    divisions.push_back(slices);
    candidates.names.push_back("product in " + std::to_string(slices) + " parts, their sum with the norm");
  }
  candidates.calls = [&](std::size_t i) { return calls_of(context, call, product, divisions[i]); };
  std::optional<std::vector<NativeCall>> calls = choose_fusion(context, call, candidates);
  if (!calls) return std::nullopt;
  PreparedOp prepared;
  prepared.calls = std::move(*calls);
  if (product.has_residual) prepared.in_place_input = static_cast<std::size_t>(product.residual.operand);
  prepared.path.name = "linear+rmsnorm:fused";
  return prepared;
}

std::optional<PreparedOp> fuse_add_norm(OpContext& context, const FusionCall& call) {
  const RowsColumns shape = rows_columns(call.second.input(0));
  SumRmsnorm sum;
  sum.rows = shape.rows;
  sum.columns = shape.columns;
  sum.dtype = call.second.input(0).dtype;
  sum.sums = operand_source(0);
  sum.residual = operand_source(1);
  sum.y = operand_source(2);
  sum.gamma = operand_source(4);
  sum.normed = operand_source(5);
  sum.eps = static_cast<float>(ir::real_attribute(*call.second.op, "eps"));
  sum.weights_constant = call.second.is_weight(1);
  FusionCandidates candidates;
  candidates.key = "add and rmsnorm rows " + std::to_string(sum.rows) + " columns " +
                   std::to_string(sum.columns) + " " + std::string(ir::name_of(sum.dtype)) +
                   (sum.weights_constant ? " constant weights" : "") +
                   (context.programmatic ? " programmatic" : "");
  candidates.names = {"sum and norm in one kernel"};
  candidates.calls = [&](std::size_t) {
    return std::vector<NativeCall>{sum_rmsnorm_call(context, sum, call.second)};
  };
  std::optional<std::vector<NativeCall>> calls = choose_fusion(context, call, candidates);
  if (!calls) return std::nullopt;
  PreparedOp prepared;
  prepared.calls = std::move(*calls);
  prepared.in_place_input = 0;
  prepared.path.name = "add+rmsnorm:fused";
  return prepared;
}

}  // namespace graphbench::cuda
