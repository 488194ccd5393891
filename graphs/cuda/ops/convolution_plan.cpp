// Describes conv -> (+ residual) -> (+ bias) -> (ReLU) to cuDNN and picks an engine for it.
#include "graphs/cuda/ops/convolution_plan.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

#include <algorithm>
#include <optional>

#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {
namespace {

cudnnDataType_t data_type(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::fp16:
      return CUDNN_DATA_HALF;
    case ir::DType::bf16:
      return CUDNN_DATA_BFLOAT16;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

// Collects the descriptors of one graph of operations.
class GraphDescription {
 public:
  GraphDescription(const CudnnLibrary& library, const ConvolutionShape& shape, const char* object)
      : library_(library), shape_(shape), object_(object) {
    descriptors_.reserve(32);  // references to elements stay valid
  }

  CudnnDescriptor describe(cudnnHandle_t handle);
  const std::vector<std::int64_t>& ids() const { return ids_; }

 private:
  CudnnDescriptor& add(cudnnBackendDescriptorType_t type) {
    GRAPHBENCH_ASSERT(descriptors_.size() < descriptors_.capacity());
    return descriptors_.emplace_back(library_, type, object_);
  }
  // Dimensions are given as cuDNN names them (n, c, h, w); the memory is channels-last. Id 0 is an
  // intermediate: fp32, and never in memory.
  const CudnnDescriptor& tensor(std::int64_t id, std::int64_t n, std::int64_t c, std::int64_t h,
                                std::int64_t w);
  const CudnnDescriptor& result(bool last);
  const CudnnDescriptor& convolve(bool last);
  const CudnnDescriptor& pointwise(cudnnPointwiseMode_t mode, const CudnnDescriptor& in,
                                   const CudnnDescriptor* other, bool last);

  const CudnnLibrary& library_;
  const ConvolutionShape& shape_;
  const char* object_;
  std::vector<CudnnDescriptor> descriptors_;
  std::vector<const CudnnDescriptor*> operations_;
  std::vector<std::int64_t> ids_;
  std::int64_t next_virtual_id_ = 100;
};

const CudnnDescriptor& GraphDescription::tensor(std::int64_t id, std::int64_t n, std::int64_t c,
                                                std::int64_t h, std::int64_t w) {
  CudnnDescriptor& descriptor = add(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  const bool is_virtual = id == 0;
  if (!is_virtual) ids_.push_back(id);
  descriptor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, is_virtual ? CUDNN_DATA_FLOAT : data_type(shape_.dtype));
  descriptor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, {n, c, h, w});
  descriptor.set(CUDNN_ATTR_TENSOR_STRIDES, {h * w * c, 1, w * c, c});
  descriptor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, is_virtual ? next_virtual_id_++ : id);
  descriptor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, std::int64_t{16});
  descriptor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, is_virtual);
  descriptor.finalize();
  return descriptor;
}

const CudnnDescriptor& GraphDescription::result(bool last) {
  return tensor(last ? std::int64_t{ConvolutionPlan::y} : 0, shape_.batch, shape_.filters, shape_.out_height,
                shape_.out_width);
}

const CudnnDescriptor& GraphDescription::convolve(bool last) {
  const CudnnDescriptor& in =
      tensor(ConvolutionPlan::x, shape_.batch, shape_.channels, shape_.height, shape_.width);
  const CudnnDescriptor& filter =
      tensor(ConvolutionPlan::w, shape_.filters, shape_.channels, shape_.window, shape_.window);
  const CudnnDescriptor& out = result(last);
  CudnnDescriptor& convolution = add(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  convolution.set_raw(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
  convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2});
  convolution.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {shape_.padding, shape_.padding});
  convolution.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {shape_.padding, shape_.padding});
  convolution.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {shape_.stride, shape_.stride});
  convolution.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1});
  convolution.finalize();
  CudnnDescriptor& operation = add(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, in);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, filter);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, out);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, convolution);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1.0f);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0.0f);
  operation.finalize();
  operations_.push_back(&operation);
  return out;
}

const CudnnDescriptor& GraphDescription::pointwise(cudnnPointwiseMode_t mode, const CudnnDescriptor& in,
                                                   const CudnnDescriptor* other, bool last) {
  const CudnnDescriptor& out = result(last);
  CudnnDescriptor& description = add(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  description.set_raw(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
  description.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
  description.finalize();
  CudnnDescriptor& operation = add(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, description);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, in);
  if (other != nullptr) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *other);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, out);
  operation.finalize();
  operations_.push_back(&operation);
  return out;
}

CudnnDescriptor GraphDescription::describe(cudnnHandle_t handle) {
  const bool relu = shape_.activation == Activation::relu;
  const CudnnDescriptor* value = &convolve(!shape_.has_residual && !shape_.has_bias && !relu);
  if (shape_.has_residual) {
    const CudnnDescriptor& other =
        tensor(ConvolutionPlan::residual, shape_.batch, shape_.filters, shape_.out_height, shape_.out_width);
    value = &pointwise(CUDNN_POINTWISE_ADD, *value, &other, !shape_.has_bias && !relu);
  }
  if (shape_.has_bias) {
    const CudnnDescriptor& other = tensor(ConvolutionPlan::bias, 1, shape_.filters, 1, 1);
    value = &pointwise(CUDNN_POINTWISE_ADD, *value, &other, !relu);
  }
  if (relu) value = &pointwise(CUDNN_POINTWISE_RELU_FWD, *value, nullptr, true);
  std::sort(ids_.begin(), ids_.end());
  CudnnDescriptor graph(library_, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, object_);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations_);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle);
  graph.finalize();
  return graph;
}

struct EngineNotes {
  bool allowed = true;    // deterministic, arithmetic in fp32 on the given elements
  bool compiles = false;  // builds its kernel at run time, which takes long
};

EngineNotes notes_of(const CudnnLibrary& library, const CudnnDescriptor& config, ir::DType dtype,
                     const char* object) {
  const CudnnDescriptor engine(library, CUDNN_BACKEND_ENGINE_DESCRIPTOR, object);
  cudnnBackendDescriptor_t slot = engine.handle();
  config.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &slot);
  cudnnBackendNumericalNote_t numerical[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
  cudnnBackendBehaviorNote_t behavior[CUDNN_BEHAVIOR_NOTE_TYPE_COUNT];
  const std::int64_t numerical_count = engine.get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                                  CUDNN_NUMERICAL_NOTE_TYPE_COUNT, numerical);
  const std::int64_t behavior_count = engine.get(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
                                                 CUDNN_BEHAVIOR_NOTE_TYPE_COUNT, behavior);
  EngineNotes notes;
  for (std::int64_t i = 0; i < numerical_count; ++i) {
    // On fp32 operands the tensor cores would multiply in tf32.
    const bool tf32 = numerical[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE && dtype == ir::DType::fp32;
    const bool harmless = numerical[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE ||
                          numerical[i] == CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP;
    if (tf32 || !harmless) notes.allowed = false;
  }
  for (std::int64_t i = 0; i < behavior_count; ++i) {
    if (behavior[i] == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION) notes.compiles = true;
  }
  return notes;
}

std::vector<CudnnDescriptor> engine_configs(const CudnnLibrary& library, const CudnnDescriptor& graph,
                                            cudnnBackendHeurMode_t mode, const char* object) {
  CudnnDescriptor heuristic(library, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, object);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristic.set_raw(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  std::vector<CudnnDescriptor> configs;
  if (!heuristic.try_finalize()) return configs;
  constexpr std::int64_t most = 32;
  std::vector<cudnnBackendDescriptor_t> slots;
  configs.reserve(most);
  for (std::int64_t i = 0; i < most; ++i) {
    slots.push_back(configs.emplace_back(library, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, object).handle());
  }
  const std::int64_t found =
      heuristic.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, slots.data());
  while (static_cast<std::int64_t>(configs.size()) > std::min(found, most)) configs.pop_back();
  return configs;
}

std::optional<CudnnDescriptor> build_plan(const CudnnLibrary& library, cudnnHandle_t handle,
                                          const CudnnDescriptor& config, std::size_t workspace_bytes,
                                          const char* object) {
  CudnnDescriptor plan(library, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, object);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle);
  if (!plan.try_finalize()) return std::nullopt;
  std::int64_t needed = 0;
  plan.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &needed);
  if (needed > static_cast<std::int64_t>(workspace_bytes)) return std::nullopt;
  return plan;
}

}  // namespace

ConvolutionPlan::ConvolutionPlan(const CudnnLibrary& library, CudnnDescriptor plan,
                                 std::vector<std::int64_t> ids, void* workspace)
    : library_(library), plan_(std::move(plan)), ids_(std::move(ids)), workspace_(workspace) {}

std::unique_ptr<ConvolutionPlan> ConvolutionPlan::make(const CudnnLibrary& library, cudnnHandle_t handle,
                                                       const ConvolutionShape& shape, void* workspace,
                                                       std::size_t workspace_bytes, const char* object) {
  GraphDescription description(library, shape, object);
  const CudnnDescriptor graph = description.describe(handle);
  // Engines that compile their kernel come last: a sweep prepares many plans.
  for (const bool compiling : {false, true}) {
    for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
      for (const CudnnDescriptor& config : engine_configs(library, graph, mode, object)) {
        const EngineNotes notes = notes_of(library, config, shape.dtype, object);
        if (!notes.allowed || notes.compiles != compiling) continue;
        std::optional<CudnnDescriptor> plan = build_plan(library, handle, config, workspace_bytes, object);
        if (!plan) continue;
        return std::unique_ptr<ConvolutionPlan>(
            new ConvolutionPlan(library, std::move(*plan), description.ids(), workspace));
      }
    }
  }
  (void)cudaGetLastError();
  return nullptr;
}

cudnnBackendDescriptor_t ConvolutionPlan::pack_for(void* const* addresses) {
  for (const Pack& pack : packs_) {
    if (std::equal(pack.addresses.begin(), pack.addresses.end(), addresses)) return pack.descriptor.handle();
  }
  const auto count = static_cast<std::int64_t>(ids_.size());
  CudnnDescriptor descriptor(library_, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "convolution");
  descriptor.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids_);
  descriptor.set_raw(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, addresses);
  descriptor.set_raw(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace_);
  descriptor.finalize();
  packs_.push_back({std::vector<void*>(addresses, addresses + count), std::move(descriptor)});
  return packs_.back().descriptor.handle();
}

}  // namespace graphbench::cuda

#endif
