// cuBLASLt products. Everything is chosen here: layouts, epilogue and algorithm; a launch only calls.
#include "graphs/cuda/ops/matmul.hpp"

#include <optional>

#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {
namespace {

cudaDataType_t data_type(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::fp16:
      return CUDA_R_16F;
    case ir::DType::bf16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

cublasLtEpilogue_t epilogue_of(Activation activation, bool bias) {
  switch (activation) {
    case Activation::gelu_tanh:
      return bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    case Activation::relu:
      return bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case Activation::none:
      break;
  }
  return bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

template <class Value>
void set(cublasLtMatmulDescOpaque_t& description, cublasLtMatmulDescAttributes_t attribute,
         const Value& value, const char* object) {
  check(cublasLtMatmulDescSetAttribute(&description, attribute, &value, sizeof(value)), "prepare", object);
}

template <class Value>
void set(cublasLtMatmulPreferenceOpaque_t& preference, cublasLtMatmulPreferenceAttributes_t attribute,
         const Value& value, const char* object) {
  check(cublasLtMatmulPreferenceSetAttribute(&preference, attribute, &value, sizeof(value)), "prepare",
        object);
}

// Row-major y[rows, n] is column-major y'[n, rows], so that y' = w' x with w' transposed as stored.
MatmulCall describe_call(OpContext& context, const MatmulSpec& spec, ir::DType output, const char* object) {
  const auto rows = static_cast<std::uint64_t>(spec.rows);
  const auto n = static_cast<std::uint64_t>(spec.n);
  const auto k = static_cast<std::uint64_t>(spec.k);
  MatmulCall call;
  call.handle = context.cublas;
  check(cublasLtMatmulDescInit(&call.description, CUBLAS_COMPUTE_32F, CUDA_R_32F), "prepare", object);
  set(call.description, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T, object);
  set(call.description, CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N, object);
  check(cublasLtMatrixLayoutInit(&call.a_layout, data_type(spec.dtype), k, n, spec.k), "prepare", object);
  check(cublasLtMatrixLayoutInit(&call.b_layout, data_type(spec.dtype), k, rows, spec.k), "prepare", object);
  check(cublasLtMatrixLayoutInit(&call.d_layout, data_type(output), n, rows, spec.n), "prepare", object);
  call.c_layout = call.d_layout;
  call.a_source = spec.w;
  call.b_source = spec.x;
  call.c_source = spec.y;
  call.d_source = spec.y;
  call.workspace = spec.workspace;
  call.workspace_bytes = spec.workspace_bytes;
  return call;
}

void fuse(MatmulCall& call, const MatmulSpec& spec, const char* object) {
  set(call.description, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(spec.activation, spec.has_bias), object);
  if (spec.has_bias) {
    call.has_bias = true;
    call.bias_source = spec.bias;
    // The heuristic wants to see an address; the operand's own is put in at launch.
    set(call.description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, spec.workspace, object);
  }
  if (spec.has_residual) {
    call.beta = 1.0f;
    call.c_source = spec.residual;
  }
}

// False where cuBLASLt has no algorithm for the call.
bool choose_algorithm(OpContext& context, MatmulCall& call, std::uint32_t alignment, const char* object) {
  cublasLtMatmulPreferenceOpaque_t preference{};
  check(cublasLtMatmulPreferenceInit(&preference), "prepare", object);
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, call.workspace_bytes, object);
  // Split products may be summed in fp32 scratch only: sums in the output's own type would round more
  // than once.
  set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE), object);
  for (const cublasLtMatmulPreferenceAttributes_t operand :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    set(preference, operand, alignment, object);
  }
  cublasLtMatmulHeuristicResult_t result{};
  int found = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(context.cublas, &call.description, &call.a_layout, &call.b_layout,
                                     &call.c_layout, &call.d_layout, &preference, 1, &result, &found);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) return false;
  check(status, "choose an algorithm for", object);
  if (found == 0 || result.state != CUBLAS_STATUS_SUCCESS) return false;
  call.algo = result.algo;
  return true;
}

std::optional<MatmulCall> fused_call(OpContext& context, const MatmulSpec& spec, const char* object) {
  const bool residual_before_activation =
      spec.has_residual && spec.activation != Activation::none && !spec.activation_last;
  if (residual_before_activation) return std::nullopt;  // an epilogue applies its activation last
  MatmulCall call = describe_call(context, spec, spec.dtype, object);
  fuse(call, spec, object);
  if (!choose_algorithm(context, call, spec.alignment, object)) return std::nullopt;
  return call;
}

}  // namespace

void append_matmul(PreparedOp& prepared, OpContext& context, const MatmulSpec& spec, const ir::OpCall& call) {
  const char* object = call.op->name.c_str();
  if (const std::optional<MatmulCall> fused = fused_call(context, spec, object)) {
    prepared.calls.emplace_back(*fused);
    return;
  }
  prepared.buffers.emplace_back(*context.device, static_cast<std::size_t>(spec.rows) *
                                                     static_cast<std::size_t>(spec.n) * sizeof(float));
  MatmulSpec plain = spec;
  plain.y = fixed_source(prepared.buffers.back().data());
  MatmulCall product = describe_call(context, plain, ir::DType::fp32, object);
  if (!choose_algorithm(context, product, spec.alignment, object))
    refuse(call, "cuBLASLt has no algorithm for its shape");
  prepared.calls.emplace_back(product);
  prepared.calls.emplace_back(epilogue_call(spec, prepared.buffers.back().data(), call));
}

PreparedOp prepare_linear(OpContext& context, const ir::OpCall& call) {
  const ir::Op& op = *call.op;
  const RowsColumns x = rows_columns(call.input(0));
  MatmulSpec spec;
  spec.rows = x.rows;
  spec.k = x.columns;
  spec.n = call.input(1).dims.at(0);
  spec.dtype = call.input(0).dtype;
  spec.has_bias = ir::integer_attribute(op, "bias", 0) != 0;
  spec.has_residual = ir::integer_attribute(op, "residual", 0) != 0;
  spec.activation = activation_of(op);
  spec.x = operand_source(0);
  spec.w = operand_source(1);
  if (spec.has_bias) spec.bias = operand_source(2);
  if (spec.has_residual) spec.residual = operand_source(spec.has_bias ? 3 : 2);
  spec.y = operand_source(call.input_count);
  spec.workspace = context.workspace;
  spec.workspace_bytes = context.workspace_bytes;
  if (spec.dtype == ir::DType::i32) refuse(call, "element type i32");
  PreparedOp prepared;
  append_matmul(prepared, context, spec, call);
  return prepared;
}

}  // namespace graphbench::cuda
