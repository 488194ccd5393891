// Prepares sdpa with cuDNN's fused attention if that is known to be correct, else with our own kernel.
#include "graphs/cuda/ops/sdpa.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "graphs/cuda/ops/cudnn_graph.hpp"
#include "graphs/cuda/ops/cudnn_plan.hpp"
#include "graphs/cuda/tuning/candidate_timer.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {

PreparedOp prepare_sdpa(OpContext& context, const ir::OpCall& call) {
  const std::vector<std::int64_t>& q = call.input(0).dims;
  SdpaShape shape;
  shape.batch = q.at(0);
  shape.heads = q.at(1);
  shape.tokens = q.at(2);
  shape.head_dim = q.at(3);
  shape.slots = call.input(1).dims.at(2);
  shape.causal = ir::integer_attribute(*call.op, "causal") != 0;
  shape.dtype = call.input(0).dtype;
  std::string why_not_cudnn;
  if (is_worth_cudnn(shape)) {
    why_not_cudnn = "cuDNN is not installed, or switched off";
    if (context.use_cudnn) {
      if (std::optional<PreparedOp> fused = prepare_sdpa_cudnn(context, shape, call))
        return std::move(*fused);
      why_not_cudnn = "cuDNN has no deterministic, exact kernel for the op";
    }
  }
  PreparedOp own = prepare_sdpa_vector(context, shape, call);
  own.path = KernelPath{.name = "sdpa:vector", .fallback = std::move(why_not_cudnn)};
  return own;
}

// Excludes decoding: cuDNN's only faster kernel (9.14 and 9.19 on an H200: 235 us against our 244 us, for 256
// sequences, 16 heads of 64, 1024 slots) gives different bits in 134 of 300 runs.
bool is_worth_cudnn(const SdpaShape& shape) {
  const bool narrow = shape.dtype == ir::DType::fp16 || shape.dtype == ir::DType::bf16;
  return narrow && shape.head_dim % 8 == 0 && shape.head_dim <= 128 && shape.tokens > 1;
}

bool cudnn_takes_sdpa(std::size_t version, const SdpaShape& shape) {
  if (!is_worth_cudnn(shape)) return false;
  // cudnn-frontend (node/sdpa_support_surface.h) lists as broken: 9.10.0, 9.10.1, and, in versions before
  // 9.6, masks that are shifted by a part of a tile.
  if (version == 91000 || version == 91001) return false;
  const bool shifted = shape.causal && shape.tokens != shape.slots;
  if (shifted && version < 90600) return false;
  // 9.13 and 9.14 access illegal addresses in CUDA graphs if there are more than 1024 slots and no mask
  // (NVIDIA/TransformerEngine, pull request 2344).
  const bool breaks_in_graphs = version >= 91300 && version < 91500;
  return !breaks_in_graphs || shape.causal || shape.slots <= 1024;
}

#if defined(GRAPHBENCH_HAVE_CUDNN)

namespace {

// cuDNN's fused engines recognise this pattern: q kT, scale, mask, max, subtract, exp, sum, divide, times v.
class SdpaGraph : public CudnnGraph {
 public:
  enum Tensor : std::int64_t { q = 1, k, v, o };

  SdpaGraph(const CudnnLibrary& library, const SdpaShape& shape, const char* object)
      : CudnnGraph(library, object), shape_(shape) {}

  std::optional<CudnnDescriptor> describe(cudnnHandle_t handle);

 private:
  const CudnnDescriptor& operand(std::int64_t id, Dims dims, Dims strides);
  template <class Value>
  const CudnnDescriptor& constant(Value value, cudnnDataType_t type);
  const CudnnDescriptor& scores(cudnnDataType_t type = CUDNN_DATA_FLOAT);  // an intermediate of [B, H, T, S]
  const CudnnDescriptor& row_values();                                     // an intermediate of [B, H, T, 1]

  const CudnnDescriptor& multiply(const CudnnDescriptor& a, const CudnnDescriptor& b,
                                  const CudnnDescriptor& out);
  const CudnnDescriptor& reduce(cudnnReduceTensorOp_t mode, const CudnnDescriptor& in);
  const CudnnDescriptor& mask(const CudnnDescriptor& in);
  const CudnnDescriptor& softmax(const CudnnDescriptor& in);

  const SdpaShape& shape_;
};

// Versions before 9.10 need a finite score for a masked key.
float masked_score(const CudnnLibrary& library) {
  constexpr std::size_t takes_infinity = 91000;
  return library.GetVersion() < takes_infinity ? std::numeric_limits<float>::lowest()
                                               : -std::numeric_limits<float>::infinity();
}

const CudnnDescriptor& SdpaGraph::operand(std::int64_t id, Dims dims, Dims strides) {
  tensors_.ids.push_back(id);
  return tensor({id, std::move(dims), std::move(strides)}, cudnn_type(shape_.dtype));
}

template <class Value>
const CudnnDescriptor& SdpaGraph::constant(Value value, cudnnDataType_t type) {
  CudnnConstant constant{next_id_++, {}};
  static_assert(sizeof(value) == sizeof(constant.value));
  std::memcpy(constant.value.data(), &value, sizeof(value));
  tensors_.constants.push_back(constant);
  return tensor({constant.id, {1, 1, 1, 1}, {1, 1, 1, 1}, true}, type);
}

const CudnnDescriptor& SdpaGraph::scores(cudnnDataType_t type) {
  const SdpaShape& s = shape_;
  return tensor({0,
                 {s.batch, s.heads, s.tokens, s.slots},
                 {s.heads * s.tokens * s.slots, s.tokens * s.slots, s.slots, 1}},
                type);
}

const CudnnDescriptor& SdpaGraph::row_values() {
  const SdpaShape& s = shape_;
  return tensor({0, {s.batch, s.heads, s.tokens, 1}, {s.heads * s.tokens, s.tokens, 1, 1}}, CUDNN_DATA_FLOAT);
}

const CudnnDescriptor& SdpaGraph::multiply(const CudnnDescriptor& a, const CudnnDescriptor& b,
                                           const CudnnDescriptor& out) {
  CudnnDescriptor& description = add(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  description.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT);
  description.finalize();
  CudnnDescriptor& operation = add(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
  operation.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b);
  operation.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, out);
  operation.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, description);
  finish(operation);
  return out;
}

const CudnnDescriptor& SdpaGraph::reduce(cudnnReduceTensorOp_t mode, const CudnnDescriptor& in) {
  const CudnnDescriptor& out = row_values();
  CudnnDescriptor& description = add(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  description.set(CUDNN_ATTR_REDUCTION_OPERATOR, mode);
  description.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  description.finalize();
  CudnnDescriptor& operation = add(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, in);
  operation.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, out);
  operation.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, description);
  finish(operation);
  return out;
}

// A query sees keys up to its own position: column <= row + slots - tokens.
const CudnnDescriptor& SdpaGraph::mask(const CudnnDescriptor& in) {
  const CudnnDescriptor* row =
      &pointwise(CUDNN_POINTWISE_GEN_INDEX, {&in}, scores(CUDNN_DATA_INT32), CUDNN_DATA_INT32, 2);
  const CudnnDescriptor& column =
      pointwise(CUDNN_POINTWISE_GEN_INDEX, {&in}, scores(CUDNN_DATA_INT32), CUDNN_DATA_INT32, 3);
  if (shape_.slots != shape_.tokens) {
    const CudnnDescriptor& slots = constant(static_cast<std::int32_t>(shape_.slots), CUDNN_DATA_INT32);
    row = &pointwise(CUDNN_POINTWISE_ADD, {row, &slots}, scores(CUDNN_DATA_INT32), CUDNN_DATA_INT32);
    const CudnnDescriptor& tokens = constant(static_cast<std::int32_t>(shape_.tokens), CUDNN_DATA_INT32);
    row = &pointwise(CUDNN_POINTWISE_SUB, {row, &tokens}, scores(CUDNN_DATA_INT32), CUDNN_DATA_INT32);
  }
  const CudnnDescriptor& seen =
      pointwise(CUDNN_POINTWISE_CMP_GE, {row, &column}, scores(CUDNN_DATA_BOOLEAN), CUDNN_DATA_BOOLEAN);
  const CudnnDescriptor& lowest = constant(masked_score(library_), CUDNN_DATA_FLOAT);
  return pointwise(CUDNN_POINTWISE_BINARY_SELECT, {&in, &lowest, &seen}, scores());
}

// The last operation rounds the weights to the operands' type, which cuDNN requires for the second product.
const CudnnDescriptor& SdpaGraph::softmax(const CudnnDescriptor& in) {
  const CudnnDescriptor& largest = reduce(CUDNN_REDUCE_TENSOR_MAX, in);
  const CudnnDescriptor& below = pointwise(CUDNN_POINTWISE_SUB, {&in, &largest}, scores());
  const CudnnDescriptor& weights = pointwise(CUDNN_POINTWISE_EXP, {&below}, scores());
  const CudnnDescriptor& sum = reduce(CUDNN_REDUCE_TENSOR_ADD, weights);
  // The result max + log(sum) is never in memory, but cuDNN 9.14 recognised the pattern and offered an engine
  // only with these two operations.
  const CudnnDescriptor& log = pointwise(CUDNN_POINTWISE_LOG, {&sum}, row_values());
  pointwise(CUDNN_POINTWISE_ADD, {&largest, &log}, row_values());
  return pointwise(CUDNN_POINTWISE_DIV, {&weights, &sum}, scores(cudnn_type(shape_.dtype)));
}

std::optional<CudnnDescriptor> SdpaGraph::describe(cudnnHandle_t handle) {
  const std::int64_t b = shape_.batch, h = shape_.heads, t = shape_.tokens, d = shape_.head_dim,
                     s = shape_.slots;
  const CudnnDescriptor& queries = operand(q, {b, h, t, d}, {h * t * d, t * d, d, 1});
  const CudnnDescriptor& keys = operand(k, {b, h, d, s}, {h * s * d, s * d, 1, d});
  const CudnnDescriptor& values = operand(v, {b, h, s, d}, {h * s * d, s * d, d, 1});
  const CudnnDescriptor& out = operand(o, {b, h, t, d}, {t * h * d, d, h * d, 1});
  const CudnnDescriptor* score = &multiply(queries, keys, scores());
  const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(d)));
  score = &pointwise(CUDNN_POINTWISE_MUL, {score, &constant(scale, CUDNN_DATA_FLOAT)}, scores());
  if (shape_.causal && t > 1) score = &mask(*score);  // a single query sees every slot
  multiply(softmax(*score), values, out);
  CudnnDescriptor described = graph(handle);
  if (!described.try_finalize()) return std::nullopt;
  return described;
}

// Only the first engines are tried, because each compiles its kernel in up to half a second. The driver
// caches the result on disk.
constexpr std::size_t engines_max = 5;

std::string sdpa_key(const SdpaShape& s) {
  std::string key = "sdpa";
  for (const std::int64_t extent : {s.batch, s.heads, s.tokens, s.head_dim, s.slots}) {
    key.append(1, ' ').append(std::to_string(extent));
  }
  key.append(s.causal ? " causal " : " ").append(ir::name_of(s.dtype));
  return key;
}

CudnnCall sdpa_call(CudnnHandle& handle, CudnnPlan& plan) {
  return cudnn_call(handle, plan, {0, 1, 2, 3});
}

// A package's plan, else the tuner's choice. Null if no cuDNN plan runs.
std::unique_ptr<CudnnPlan> make_sdpa_plan(OpContext& context, CudnnHandle& handle, const std::string& key,
                                          const SdpaShape& shape, const ir::OpCall& op) {
  const char* object = op.op->name.c_str();
  SdpaGraph description(*handle.library, shape, object);
  const std::optional<CudnnDescriptor> graph = description.describe(handle.get());
  if (!graph) return nullptr;
  if (auto plan = CudnnPlan::read(context, key, object, description.tensors())) return plan;
  const CudnnEngines engines(context, *graph, shape.dtype, object);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(engines.size(), engines_max); ++i) names.push_back(engines.name(i));
  if (names.empty()) return nullptr;
  std::vector<std::unique_ptr<CudnnPlan>> plans(names.size());
  const auto build = [&](std::size_t candidate) {
    std::unique_ptr<CudnnPlan>& plan = plans[candidate];
    if (plan == nullptr) plan = engines.build(candidate, description.tensors());
    return plan.get();
  };
  bool tried = false, ran = false;
  std::optional<CandidateTimer> timer;  // only if a candidate is timed: it allocates memory
  const auto time = [&](std::size_t candidate) -> std::optional<CandidateCost> {
    tried = true;
    if (build(candidate) == nullptr) return std::nullopt;
    if (!timer) timer.emplace(context, op, std::vector<std::size_t>{1, 2});
    const std::optional<CandidateCost> cost = timer->cost({sdpa_call(handle, *plans[candidate])});
    ran |= cost.has_value();
    return cost;
  };
  const std::size_t index = context.tuner->choose(key, names, time);
  if (timer) handle.forget_stream(object);
  if (tried && !ran) return nullptr;
  (void)build(index);
  (void)cudaGetLastError();
  return std::move(plans[index]);
}

}  // namespace

std::optional<PreparedOp> prepare_sdpa_cudnn(OpContext& context, const SdpaShape& shape,
                                             const ir::OpCall& op) {
  if (!cudnn_takes_sdpa(cudnn_library()->GetVersion(), shape)) return std::nullopt;
  const std::string key = sdpa_key(shape);
  CudnnHandle& handle = cudnn_handle(context);
  auto known = handle.plans.find(key);
  if (known == handle.plans.end()) {
    known = handle.plans.emplace(key, make_sdpa_plan(context, handle, key, shape, op)).first;
  }
  if (known->second == nullptr) return std::nullopt;
  PreparedOp prepared;
  prepared.calls.emplace_back(sdpa_call(handle, *known->second));
  prepared.resources.push_back(context.cudnn);
  prepared.path.name = "sdpa:cudnn";
  return prepared;
}

#else

std::optional<PreparedOp> prepare_sdpa_cudnn(OpContext&, const SdpaShape&, const ir::OpCall&) {
  return std::nullopt;
}

#endif

}  // namespace graphbench::cuda
