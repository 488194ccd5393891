// Prepares conv2d and its gradients. Uses one cuDNN call including bias, residual and ReLU; if cuDNN has no
// plan, uses im2col or our own kernels.
#include "graphs/cuda/ops/convolution.hpp"

#include <algorithm>

#include "graphs/cuda/ops/cudnn_graph.hpp"
#include "graphs/cuda/ops/cudnn_plan.hpp"
#include "graphs/cuda/tuning/candidate_timer.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {
namespace {

ConvolutionShape shape_of(const ir::OpCall& call) {
  const ir::Op& op = *call.op;
  ConvolutionShape shape;
  if (op.kind == "conv2d_grad_input") shape.result = ConvolutionResult::dx;
  if (op.kind == "conv2d_grad_weight") shape.result = ConvolutionResult::dw;
  const ConvolutionShape::Operands at = shape.operands(call.input_count);
  const std::vector<std::int64_t>& x = call.operands.at(at.x).dims;
  const std::vector<std::int64_t>& w = call.operands.at(at.w).dims;
  const std::vector<std::int64_t>& y = call.operands.at(at.y).dims;
  shape.batch = x.at(0);
  shape.height = x.at(1);
  shape.width = x.at(2);
  shape.channels = x.at(3);
  shape.filters = w.at(0);
  shape.window = w.at(1);
  shape.out_height = y.at(1);
  shape.out_width = y.at(2);
  shape.padding = ir::integer_attribute(op, "padding");
  shape.stride = ir::integer_attribute(op, "stride");
  shape.dtype = call.input(0).dtype;
  if (shape.result == ConvolutionResult::y) {
    shape.has_bias = ir::integer_attribute(op, "bias") != 0;
    shape.has_residual = ir::integer_attribute(op, "residual") != 0;
    shape.activation = activation_of(op);
  } else {
    shape.has_residual = ir::integer_attribute(op, "accumulate") != 0;
  }
  return shape;
}

}  // namespace

PreparedOp prepare_conv2d(OpContext& context, const ir::OpCall& call) {
  const ConvolutionShape shape = shape_of(call);
  const bool gradient = shape.result != ConvolutionResult::y;
  if (shape.dtype == ir::DType::i32) refuse(call, "element type i32 is not supported");
  if (shape.activation == Activation::gelu_tanh) refuse(call, "activation gelu_tanh is not supported");
  std::string why_not_cudnn = "cuDNN is not installed, or switched off";
  if (context.use_cudnn) {
    if (std::optional<PreparedOp> prepared = prepare_cudnn_convolution(context, shape, call)) {
      prepared->path.name = call.op->kind + ":cudnn";
      return std::move(*prepared);
    }
    why_not_cudnn = "cuDNN has no deterministic, exact kernel for the op";
  }
  const char* const other = gradient ? ":direct" : ":im2col";
  context.tuner->say(call.op->name + ": " + call.op->kind + other + ", as " + why_not_cudnn);
  PreparedOp prepared = gradient ? prepare_direct_gradient(context, shape, call)
                                 : prepare_im2col_convolution(context, shape, call);
  prepared.path = KernelPath{.name = call.op->kind + other, .fallback = std::move(why_not_cudnn)};
  return prepared;
}

PreparedOp prepare_conv2d_grad_input(OpContext& context, const ir::OpCall& call) {
  return prepare_conv2d(context, call);
}

PreparedOp prepare_conv2d_grad_weight(OpContext& context, const ir::OpCall& call) {
  return prepare_conv2d(context, call);
}

#if defined(GRAPHBENCH_HAVE_CUDNN)

namespace {

class ConvolutionGraph : public CudnnGraph {
 public:
  // Tensor ids, ascending. The id of a bias or residual is unused if the shape has none.
  enum Tensor : std::int64_t { x = 1, w, y, bias, residual };

  ConvolutionGraph(const CudnnLibrary& library, const ConvolutionShape& shape, const char* object)
      : CudnnGraph(library, object), shape_(shape) {}

  CudnnDescriptor describe(cudnnHandle_t handle);

 private:
  // Dimensions are in cuDNN's order (n, c, h, w); memory is channels-last. Id 0: an fp32 intermediate that is
  // never in memory.
  const CudnnDescriptor& image(std::int64_t id, std::int64_t n, std::int64_t c, std::int64_t height,
                               std::int64_t width);
  const CudnnDescriptor& like(ConvolutionResult which, std::int64_t id);
  const CudnnDescriptor& result(bool last);
  const CudnnDescriptor& convolve(bool last);

  const ConvolutionShape& shape_;
};

// The six attributes that every operation has; cuDNN names them differently for each operation.
struct Attributes {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t x, w, y, convolution, alpha, beta;
};

const Attributes& attributes_of(ConvolutionResult result) {
  static constexpr Attributes rows[] = {
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA},
  };
  return rows[static_cast<int>(result)];
}

const CudnnDescriptor& ConvolutionGraph::image(std::int64_t id, std::int64_t n, std::int64_t c,
                                               std::int64_t height, std::int64_t width) {
  if (id != 0) tensors_.ids.push_back(id);
  return tensor({id, {n, c, height, width}, {height * width * c, 1, width * c, c}},
                id == 0 ? CUDNN_DATA_FLOAT : cudnn_type(shape_.dtype));
}

const CudnnDescriptor& ConvolutionGraph::like(ConvolutionResult which, std::int64_t id) {
  const ConvolutionShape& s = shape_;
  if (which == ConvolutionResult::dx) return image(id, s.batch, s.channels, s.height, s.width);
  if (which == ConvolutionResult::dw) return image(id, s.filters, s.channels, s.window, s.window);
  return image(id, s.batch, s.filters, s.out_height, s.out_width);
}

const CudnnDescriptor& ConvolutionGraph::result(bool last) {
  constexpr std::int64_t ids[] = {y, x, w};
  return like(shape_.result, last ? ids[static_cast<int>(shape_.result)] : 0);
}

const CudnnDescriptor& ConvolutionGraph::convolve(bool last) {
  const auto operand = [&](ConvolutionResult which, Tensor id) {
    return &(which == shape_.result ? result(last) : like(which, id));
  };
  const CudnnDescriptor* const in = operand(ConvolutionResult::dx, x);
  const CudnnDescriptor* const filter = operand(ConvolutionResult::dw, w);
  const CudnnDescriptor* const out = operand(ConvolutionResult::y, y);
  CudnnDescriptor& convolution = add(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  convolution.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
  convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2});
  convolution.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {shape_.padding, shape_.padding});
  convolution.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {shape_.padding, shape_.padding});
  convolution.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {shape_.stride, shape_.stride});
  convolution.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1});
  convolution.finalize();
  const Attributes& names = attributes_of(shape_.result);
  CudnnDescriptor& operation = add(names.operation);
  operation.set(names.x, *in);
  operation.set(names.w, *filter);
  operation.set(names.y, *out);
  operation.set(names.convolution, convolution);
  operation.set(names.alpha, 1.0f);
  operation.set(names.beta, 0.0f);
  finish(operation);
  if (shape_.result == ConvolutionResult::y) return *out;
  return shape_.result == ConvolutionResult::dx ? *in : *filter;
}

CudnnDescriptor ConvolutionGraph::describe(cudnnHandle_t handle) {
  const bool relu = shape_.activation == Activation::relu;
  const CudnnDescriptor* value = &convolve(!shape_.has_residual && !shape_.has_bias && !relu);
  if (shape_.has_residual) {
    const CudnnDescriptor& other = like(shape_.result, residual);
    value = &pointwise(CUDNN_POINTWISE_ADD, {value, &other}, result(!shape_.has_bias && !relu));
  }
  if (shape_.has_bias) {
    const CudnnDescriptor& other = image(bias, 1, shape_.filters, 1, 1);
    value = &pointwise(CUDNN_POINTWISE_ADD, {value, &other}, result(!relu));
  }
  if (relu) value = &pointwise(CUDNN_POINTWISE_RELU_FWD, {value}, result(true));
  std::ranges::sort(tensors_.ids);
  CudnnDescriptor described = graph(handle);
  described.finalize();
  return described;
}

CudnnCall convolution_call(CudnnHandle& handle, CudnnPlan& plan, const ConvolutionShape& shape,
                           const ir::OpCall& op) {
  const ConvolutionShape::Operands at = shape.operands(op.input_count);
  std::vector<std::size_t> operands = {at.x, at.w, at.y};
  if (shape.has_bias) operands.push_back(shape.bias_operand());
  if (shape.has_residual) operands.push_back(shape.residual_operand());
  return cudnn_call(handle, plan, operands);
}

std::string convolution_key(const ConvolutionShape& s) {
  const auto text = [](auto value) { return std::to_string(value); };
  constexpr const char* results[] = {"convolution ", "convolution dx ", "convolution dw "};
  return results[static_cast<int>(s.result)] + text(s.batch) + "x" + text(s.height) + "x" + text(s.width) +
         "x" + text(s.channels) + " filters " + text(s.filters) + " window " + text(s.window) + " padding " +
         text(s.padding) + " stride " + text(s.stride) + (s.has_bias ? " bias" : "") +
         (s.has_residual ? " residual" : "") + " activation " + text(static_cast<int>(s.activation)) + " " +
         std::string(ir::name_of(s.dtype));
}

// Returns the plan of a package, else a plan with the engine `wanted`, else the tuner's choice. Null if cuDNN
// has no plan that is deterministic, computes in fp32 and fits the workspace. A plan with a residual is timed
// in alternation with the plan of the same convolution without a residual, if that plan exists: of two plans
// that were equally fast alone on an H200, one made whole steps slower.
std::unique_ptr<CudnnPlan> make_convolution_plan(OpContext& context, CudnnHandle& handle,
                                                 const ConvolutionShape& shape, const ir::OpCall& op,
                                                 const std::optional<std::string>& wanted) {
  const char* object = op.op->name.c_str();
  ConvolutionGraph description(*handle.library, shape, object);
  const CudnnDescriptor graph = description.describe(handle.get());
  if (auto plan = CudnnPlan::read(context, convolution_key(shape), object, description.tensors()))
    return plan;
  const CudnnEngines engines(context, graph, shape.dtype, object, wanted);
  ConvolutionShape plain = shape;
  plain.has_residual = false;
  const auto beside = shape.has_residual ? handle.plans.find(convolution_key(plain)) : handle.plans.end();
  std::optional<CandidateTimer> timer;  // only if a candidate is timed: it allocates memory
  const auto time = [&](std::size_t candidate) -> std::optional<CandidateCost> {
    const std::unique_ptr<CudnnPlan> plan = engines.build(candidate, description.tensors());
    if (plan == nullptr) return std::nullopt;
    if (!timer) timer.emplace(context, op);
    std::vector<NativeCall> calls;
    if (beside != handle.plans.end() && beside->second != nullptr)
      calls.emplace_back(convolution_call(handle, *beside->second, plain, op));
    calls.emplace_back(convolution_call(handle, *plan, shape, op));
    return timer->cost(std::move(calls));
  };
  std::vector<std::string> names;  // without engines that compile: compiling takes more time than it saves
  for (std::size_t i = 0; i < engines.size() && !engines.compiles(i); ++i) names.push_back(engines.name(i));
  if (!names.empty()) {
    const std::size_t index = context.tuner->choose(convolution_key(shape), names, time);
    if (timer) handle.forget_stream(object);
    if (auto plan = engines.build(index, description.tensors())) return plan;
  }
  for (std::size_t i = 0; i < engines.size(); ++i) {
    auto plan = engines.build(i, description.tensors());
    if (plan == nullptr) continue;
    context.tuner->took(convolution_key(shape), engines.name(i));
    return plan;
  }
  (void)cudaGetLastError();
  return nullptr;
}

}  // namespace

std::optional<PreparedOp> prepare_cudnn_convolution(OpContext& context, const ConvolutionShape& shape,
                                                    const ir::OpCall& call) {
  CudnnHandle& handle = cudnn_handle(context);
  const std::string key = convolution_key(shape);
  auto known = handle.plans.find(key);
  if (known == handle.plans.end()) {
    const std::optional<std::string> chosen = context.tuner->known(key);
    std::unique_ptr<CudnnPlan> plan = make_convolution_plan(context, handle, shape, call, chosen);
    if (plan == nullptr && chosen) plan = make_convolution_plan(context, handle, shape, call, std::nullopt);
    known = handle.plans.emplace(key, std::move(plan)).first;
  }
  CudnnPlan* plan = known->second.get();
  if (plan == nullptr) return std::nullopt;
  PreparedOp prepared;
  prepared.calls.emplace_back(convolution_call(handle, *plan, shape, call));
  prepared.resources.push_back(context.cudnn);
  // A pointwise operation may overwrite its input, here the residual; tests/conformance compares the bits.
  if (shape.has_residual) prepared.in_place_input = shape.residual_operand();
  return prepared;
}

#else

std::optional<PreparedOp> prepare_cudnn_convolution(OpContext&, const ConvolutionShape&, const ir::OpCall&) {
  return std::nullopt;
}

#endif

}  // namespace graphbench::cuda
