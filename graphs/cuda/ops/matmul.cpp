// Prepares cuBLASLt products and the gradients of linear. Chooses layouts, epilogue and algorithm here, so
// that a launch is only a call.
#include "graphs/cuda/ops/matmul.hpp"

#include <algorithm>
#include <utility>

#include "graphs/base/text.hpp"
#include "graphs/cuda/status.hpp"
#include "graphs/cuda/tuning/candidate_timer.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

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
void set_attribute(cublasLtMatmulDescOpaque_t& description, cublasLtMatmulDescAttributes_t attribute,
                   const Value& value, const char* object) {
  check(cublas_lt.MatmulDescSetAttribute(&description, attribute, &value, sizeof(value)), "prepare", object);
}

template <class Value>
void set_attribute(cublasLtMatrixLayoutOpaque_t& layout, cublasLtMatrixLayoutAttribute_t attribute,
                   const Value& value, const char* object) {
  check(cublas_lt.MatrixLayoutSetAttribute(&layout, attribute, &value, sizeof(value)), "prepare", object);
}

// The device's handle, made for its first product.
cublasLtHandle_t cublas_handle(OpContext& context, const char* object) {
  if (!context.cublas) {
    require_cublas(object);
    check(cublas_lt.Create(context.cublas.put()), "create cuBLASLt handle for", object);
  }
  return context.cublas.get();
}

// cuBLASLt is column-major: it reads row-major y[rows, n] as its transpose y'[n, rows]. So y' = op(w') x',
// where op transposes w' unless w is already stored transposed.
MatmulCall describe_call(OpContext& context, const MatmulSpec& spec, ir::DType output, const char* object) {
  const auto rows = static_cast<std::uint64_t>(spec.rows);
  const auto n = static_cast<std::uint64_t>(spec.n);
  const auto k = static_cast<std::uint64_t>(spec.k);
  MatmulCall call;
  call.handle = cublas_handle(context, object);
  check(cublas_lt.MatmulDescInit_internal(&call.description, sizeof(call.description), CUBLAS_COMPUTE_32F,
                                          CUDA_R_32F),
        "prepare", object);
  set_attribute(call.description, CUBLASLT_MATMUL_DESC_TRANSA, spec.w_transposed ? CUBLAS_OP_N : CUBLAS_OP_T,
                object);
  set_attribute(call.description, CUBLASLT_MATMUL_DESC_TRANSB, spec.x_transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                object);
  const auto describe = [&](cublasLtMatrixLayoutOpaque_t& layout, std::uint64_t across, bool transposed) {
    check(cublas_lt.MatrixLayoutInit_internal(&layout, sizeof(layout), data_type(spec.dtype),
                                              transposed ? across : k, transposed ? k : across,
                                              static_cast<std::int64_t>(transposed ? across : k)),
          "prepare", object);
  };
  describe(call.a_layout, n, spec.w_transposed);
  describe(call.b_layout, rows, spec.x_transposed);
  check(cublas_lt.MatrixLayoutInit_internal(&call.d_layout, sizeof(call.d_layout), data_type(output), n, rows,
                                            spec.n),
        "prepare", object);
  call.c_layout = call.d_layout;
  call.a_source = spec.w;
  call.b_source = spec.x;
  call.c_source = spec.y;
  call.d_source = spec.y;
  call.workspace = spec.workspace;
  call.workspace_bytes = spec.workspace_bytes;
  call.alpha = spec.scale;
  return call;
}

struct Strided {
  cublasLtMatrixLayoutOpaque_t& layout;
  std::int64_t stride;  // in elements
};

void repeat(std::int64_t products, std::initializer_list<Strided> operands, const char* object) {
  const auto count = static_cast<std::int32_t>(products);
  for (const auto& [layout, stride] : operands) {
    set_attribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, count, object);
    set_attribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride, object);
  }
}

void fuse(MatmulCall& call, const MatmulSpec& spec, const char* object) {
  set_attribute(call.description, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(spec.activation, spec.has_bias),
                object);
  if (spec.has_bias) {
    call.has_bias = true;
    call.bias_source = spec.bias;
    // The heuristic needs an address. Each launch sets the real one.
    set_attribute(call.description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, spec.workspace, object);
  }
  if (spec.has_residual) {
    call.beta = 1.0f;
    call.c_source = spec.residual;
  }
}

std::string matmul_key(const MatmulCall& call, const MatmulSpec& spec, ir::DType output, bool fused) {
  const auto text = [](auto value) { return std::to_string(value); };
  return "matmul rows " + text(spec.rows) + " n " + text(spec.n) + " k " + text(spec.k) + " " +
         std::string(ir::name_of(spec.dtype)) + " to " + std::string(ir::name_of(output)) + " epilogue " +
         (fused ? text(static_cast<int>(epilogue_of(spec.activation, spec.has_bias))) : "none") + " beta " +
         (call.beta == 0.0f ? "0" : "1") + " alignment " + text(spec.alignment) + " workspace " +
         text(call.workspace_bytes) + (spec.products > 1 ? " products " + text(spec.products) : "") +
         (spec.x_transposed ? " x transposed" : "") + (spec.w_transposed ? " w transposed" : "");
}

std::optional<NativeCall> fused_call(OpContext& context, const MatmulSpec& spec, const ir::OpCall& op) {
  const char* object = op.op->name.c_str();
  const bool residual_after_activation =
      spec.has_residual && spec.activation != Activation::none && !spec.activation_last;
  if (residual_after_activation) return std::nullopt;  // cuBLASLt would apply the activation last
  // Does not fuse if C is also B: cuBLASLt (13.0 on an H200) would prepare the call but refuse the launch.
  const std::vector<ir::ValueId>& inputs = op.op->inputs;
  if (spec.has_residual && spec.residual.operand >= 0 &&
      std::ranges::count(inputs, inputs.at(static_cast<std::size_t>(spec.residual.operand))) > 1)
    return std::nullopt;
  MatmulCall call = describe_call(context, spec, spec.dtype, object);
  fuse(call, spec, object);
  const std::string key = matmul_key(call, spec, spec.dtype, true);
  return choose_matmul(context, call, key, spec.alignment, op);
}

// x wT without epilogue. Absent if cuBLASLt has no algorithm.
std::optional<NativeCall> fp32_product(OpContext& context, const MatmulSpec& spec, void* sums,
                                       const ir::OpCall& call) {
  MatmulSpec plain = spec;
  plain.y = fixed_source(sums);
  const MatmulCall product = describe_call(context, plain, ir::DType::fp32, call.op->name.c_str());
  const std::string key = matmul_key(product, spec, ir::DType::fp32, false);
  return choose_matmul(context, product, key, spec.alignment, call);
}

}  // namespace

void append_matmul(PreparedOp& prepared, OpContext& context, const MatmulSpec& spec, const ir::OpCall& call) {
  if (std::optional<NativeCall> fused = fused_call(context, spec, call)) {
    prepared.calls.push_back(std::move(*fused));
    return;
  }
  const std::size_t bytes =
      static_cast<std::size_t>(spec.rows) * static_cast<std::size_t>(spec.n) * sizeof(float);
  prepared.buffers.emplace_back(*context.memory, bytes, MemoryKind::workspace);
  std::optional<NativeCall> chosen = fp32_product(context, spec, prepared.buffers.back().data(), call);
  if (!chosen) refuse(call, "cuBLASLt has no algorithm for the op's shape");
  prepared.calls.push_back(std::move(*chosen));
  prepared.calls.emplace_back(epilogue_call(spec, prepared.buffers.back().data(), call));
}

std::optional<NativeCall> plain_products(OpContext& context, const MatmulSpec& spec, const ir::OpCall& call) {
  const char* object = call.op->name.c_str();
  MatmulCall products = describe_call(context, spec, spec.dtype, object);
  if (spec.products > 1) {
    repeat(spec.products,
           {{products.a_layout, spec.n * spec.k},
            {products.b_layout, spec.rows * spec.k},
            {products.c_layout, spec.rows * spec.n},
            {products.d_layout, spec.rows * spec.n}},
           object);
  }
  const std::string key = matmul_key(products, spec, spec.dtype, false);
  return choose_matmul(context, products, key, spec.alignment, call);
}

MatmulSpec matmul_spec(const OpContext& context, const ir::OpCall& call) {
  MatmulSpec spec;
  spec.dtype = call.input(0).dtype;
  if (spec.dtype == ir::DType::i32) refuse(call, "element type i32 is not supported");
  spec.x = operand_source(0);
  spec.w = operand_source(1);
  spec.y = operand_source(call.input_count);
  spec.workspace = context.workspace;
  spec.workspace_bytes = context.workspace_bytes;
  return spec;
}

PreparedOp prepare_linear(OpContext& context, const ir::OpCall& call) {
  const ir::Op& op = *call.op;
  const RowsColumns x = rows_columns(call.input(0));
  MatmulSpec spec = matmul_spec(context, call);
  spec.rows = x.rows;
  spec.k = x.columns;
  spec.n = call.input(1).dims.at(0);
  spec.has_bias = ir::integer_attribute(op, "bias") != 0;
  spec.has_residual = ir::integer_attribute(op, "residual") != 0;
  spec.activation = activation_of(op);
  if (spec.has_bias) spec.bias = operand_source(2);
  if (spec.has_residual) spec.residual = operand_source(spec.has_bias ? 3 : 2);
  PreparedOp prepared;
  append_matmul(prepared, context, spec, call);
  return prepared;
}

namespace {

template <class Value>
void set_attribute(cublasLtMatmulPreferenceOpaque_t& preference,
                   cublasLtMatmulPreferenceAttributes_t attribute, const Value& value, const char* object) {
  check(cublas_lt.MatmulPreferenceSetAttribute(&preference, attribute, &value, sizeof(value)), "prepare",
        object);
}

cublasLtMatmulPreferenceOpaque_t preference_of(const MatmulCall& call, std::uint32_t alignment,
                                               const char* object) {
  cublasLtMatmulPreferenceOpaque_t preference{};
  check(cublas_lt.MatmulPreferenceInit_internal(&preference, sizeof(preference)), "prepare", object);
  set_attribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, call.workspace_bytes, object);
  // Partial products may be summed only in fp32 scratch: sums in the output's type round several times.
  set_attribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE), object);
  for (const cublasLtMatmulPreferenceAttributes_t operand :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    set_attribute(preference, operand, alignment, object);
  }
  return preference;
}

// Returns cuBLASLt's algorithms for the call in the heuristic's order. Empty if it has none.
std::vector<cublasLtMatmulAlgo_t> algorithms_of(OpContext& context, MatmulCall& call, std::uint32_t alignment,
                                                const char* object) {
  constexpr int most = 24;
  cublasLtMatmulPreferenceOpaque_t preference = preference_of(call, alignment, object);
  cublasLtMatmulHeuristicResult_t results[most]{};
  int found = 0;
  const int wanted = context.tuner->settings().timed ? most : 1;
  const cublasStatus_t status = cublas_lt.MatmulAlgoGetHeuristic(
      context.cublas.get(), &call.description, &call.a_layout, &call.b_layout, &call.c_layout, &call.d_layout,
      &preference, wanted, results, &found);
  std::vector<cublasLtMatmulAlgo_t> algorithms;
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) return algorithms;
  check(status, "choose an algorithm for", object);
  for (int i = 0; i < found; ++i) {
    if (results[i].state == CUBLAS_STATUS_SUCCESS) algorithms.push_back(results[i].algo);
  }
  return algorithms;
}

std::uint64_t configured(const cublasLtMatmulAlgo_t& algorithm,
                         cublasLtMatmulAlgoConfigAttributes_t attribute) {
  std::uint64_t value = 0;  // attributes are 16 or 32 bits wide, little-endian
  std::size_t written = 0;
  const std::size_t sizes[] = {sizeof(std::uint32_t), sizeof(std::uint16_t)};
  for (const std::size_t size : sizes) {
    if (cublas_lt.MatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, size, &written) ==
        CUBLAS_STATUS_SUCCESS)
      return value;
  }
  return value;
}

std::string name_of(const cublasLtMatmulAlgo_t& algorithm) {
  constexpr std::pair<const char*, cublasLtMatmulAlgoConfigAttributes_t> parts[] = {
      {"algorithm ", CUBLASLT_ALGO_CONFIG_ID},
      {" tile ", CUBLASLT_ALGO_CONFIG_TILE_ID},
      {" stages ", CUBLASLT_ALGO_CONFIG_STAGES_ID},
      {" split-k ", CUBLASLT_ALGO_CONFIG_SPLITK_NUM},
      {" reduction ", CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME},
      {" swizzle ", CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING},
      {" custom ", CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION},
      {" inner ", CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID},
      {" cluster ", CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID},
  };
  std::string name = "cuBLASLt";
  for (const auto& [label, attribute] : parts) {
    name.append(name.size() == 8 ? " " : "").append(label);
    name.append(std::to_string(configured(algorithm, attribute)));
  }
  return name;
}

bool still_valid(OpContext& context, MatmulCall& call) {
  cublasLtMatmulHeuristicResult_t result{};
  return cublas_lt.MatmulAlgoCheck(context.cublas.get(), &call.description, &call.a_layout, &call.b_layout,
                                   &call.c_layout, &call.d_layout, &call.algo,
                                   &result) == CUBLAS_STATUS_SUCCESS &&
         result.state == CUBLAS_STATUS_SUCCESS && result.workspaceSize <= call.workspace_bytes;
}

struct Named {
  std::vector<std::string> names;
  std::vector<cublasLtMatmulAlgo_t> algorithms;
};

Named named(const std::vector<cublasLtMatmulAlgo_t>& algorithms) {
  Named result;
  for (const cublasLtMatmulAlgo_t& algorithm : algorithms) {
    std::string name = name_of(algorithm);
    if (contains(result.names, name)) continue;
    result.names.push_back(std::move(name));
    result.algorithms.push_back(algorithm);
  }
  return result;
}

}  // namespace

std::optional<NativeCall> choose_matmul(OpContext& context, MatmulCall call, const std::string& key,
                                        std::uint32_t alignment, const ir::OpCall& op) {
  if (const auto known = context.matmuls.find(key); known != context.matmuls.end()) {
    call.algo = known->second;
    return call;
  }
  const Named candidates = named(algorithms_of(context, call, alignment, op.op->name.c_str()));
  if (candidates.names.empty()) return std::nullopt;
  std::optional<CandidateTimer> timer;  // only if a candidate is timed: it allocates memory
  const auto time = [&](std::size_t candidate) -> std::optional<CandidateCost> {
    if (!timer) timer.emplace(context, op);
    call.algo = candidates.algorithms[candidate];
    return still_valid(context, call) ? timer->cost({call}) : std::nullopt;
  };
  call.algo = candidates.algorithms[context.tuner->choose(key, candidates.names, time)];
  if (!still_valid(context, call)) return std::nullopt;
  context.matmuls.emplace(key, call.algo);
  return call;
}

namespace {

// A product that sums over `k`. `x_transposed`: it reads input 0 transposed.
PreparedOp prepare_gradient(OpContext& context, const ir::OpCall& call, std::int64_t k, bool x_transposed) {
  MatmulSpec spec = matmul_spec(context, call);
  spec.k = k;
  spec.x_transposed = x_transposed;
  spec.w_transposed = true;
  spec.n = call.output(0).dims.at(1);
  spec.rows = call.output(0).dims.at(0);
  spec.has_residual = ir::integer_attribute(*call.op, "accumulate") != 0;
  if (spec.has_residual) spec.residual = operand_source(2);
  PreparedOp prepared;
  append_matmul(prepared, context, spec, call);
  if (spec.has_residual) prepared.in_place_input = 2;
  return prepared;
}

}  // namespace

PreparedOp prepare_linear_grad_input(OpContext& context, const ir::OpCall& call) {
  return prepare_gradient(context, call, call.input(0).dims.at(1), false);
}

PreparedOp prepare_linear_grad_weight(OpContext& context, const ir::OpCall& call) {
  return prepare_gradient(context, call, call.input(0).dims.at(0), true);
}

}  // namespace graphbench::cuda
