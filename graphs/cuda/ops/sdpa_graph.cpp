// Describes q kᵀ -> scale -> (mask) -> max, subtract, exp, sum, divide -> times v to cuDNN.
#include "graphs/cuda/ops/sdpa_graph.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

#include <cmath>
#include <cstring>
#include <limits>

namespace graphbench::cuda {
namespace {

// Older versions want a finite number where a key is masked.
float masked_score(const CudnnLibrary& library) {
  constexpr std::size_t takes_infinity = 91000;
  return library.GetVersion() < takes_infinity ? std::numeric_limits<float>::lowest()
                                               : -std::numeric_limits<float>::infinity();
}

}  // namespace

const CudnnDescriptor& SdpaGraph::operand(std::int64_t id, Dims dims, Dims strides) {
  ids_.push_back(id);
  return tensor({id, std::move(dims), std::move(strides)}, cudnn_type(shape_.dtype));
}

template <class Value>
const CudnnDescriptor& SdpaGraph::constant(Value value, cudnnDataType_t type) {
  CudnnConstant constant{next_id_++, {}};
  static_assert(sizeof(value) == sizeof(constant.value));
  std::memcpy(constant.value.data(), &value, sizeof(value));
  constants_.push_back(constant);
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

// A query sees the keys up to its own place: row + S - T >= column.
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

// cuDNN wants the weights as the second product takes them: in the operands' own type.
const CudnnDescriptor& SdpaGraph::softmax(const CudnnDescriptor& in) {
  const CudnnDescriptor& largest = reduce(CUDNN_REDUCE_TENSOR_MAX, in);
  const CudnnDescriptor& below = pointwise(CUDNN_POINTWISE_SUB, {&in, &largest}, scores());
  const CudnnDescriptor& weights = pointwise(CUDNN_POINTWISE_EXP, {&below}, scores());
  const CudnnDescriptor& sum = reduce(CUDNN_REDUCE_TENSOR_ADD, weights);
  // What training keeps of the softmax, max + log(sum), is never in memory here; but without it in the
  // graph cuDNN 9.14 took the pattern for another one and offered no engine.
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

}  // namespace graphbench::cuda

#endif
