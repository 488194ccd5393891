// conv2d through cudnnConvolutionBiasActivationForward: bias, residual and ReLU in the one call.
#include "graphs/cuda/ops/convolution.hpp"
#include "graphs/cuda/status.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

#include <map>

namespace graphbench::cuda {

struct AlgorithmChoice {
  bool usable = false;
  cudnnConvolutionFwdAlgo_t algo{};
  std::size_t workspace_bytes = 0;
};

struct ConvolutionHandle {
  const CudnnLibrary* library = nullptr;
  cudnnHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;                        // what the handle is set to
  std::map<ConvolutionShape, AlgorithmChoice> choices;  // so that layers of one shape ask once

  explicit ConvolutionHandle(const CudnnLibrary* opened) : library(opened) {
    const cudnnStatus_t status = library->Create(&handle);
    if (status != CUDNN_STATUS_SUCCESS) raise_cudnn(status, "create cuDNN handle", "");
  }
  ~ConvolutionHandle() { (void)library->Destroy(handle); }
  ConvolutionHandle(const ConvolutionHandle&) = delete;
  ConvolutionHandle& operator=(const ConvolutionHandle&) = delete;
};

namespace {

void check_cudnn(cudnnStatus_t status, const char* object) {
  if (status != CUDNN_STATUS_SUCCESS) raise_cudnn(status, "prepare", object);
}

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

struct Descriptors {
  const CudnnLibrary& library;
  cudnnTensorDescriptor_t x = nullptr;
  cudnnTensorDescriptor_t y = nullptr;
  cudnnTensorDescriptor_t bias = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
  cudnnActivationDescriptor_t activation = nullptr;

  Descriptors(const CudnnLibrary& opened, const ConvolutionShape& shape, const char* object);
  ~Descriptors();
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

 private:
  void create(const char* object);
};

void Descriptors::create(const char* object) {
  check_cudnn(library.CreateTensorDescriptor(&x), object);
  check_cudnn(library.CreateTensorDescriptor(&y), object);
  check_cudnn(library.CreateTensorDescriptor(&bias), object);
  check_cudnn(library.CreateFilterDescriptor(&w), object);
  check_cudnn(library.CreateConvolutionDescriptor(&convolution), object);
  check_cudnn(library.CreateActivationDescriptor(&activation), object);
}

Descriptors::Descriptors(const CudnnLibrary& opened, const ConvolutionShape& shape, const char* object)
    : library(opened) {
  const auto as_int = [](std::int64_t value) { return static_cast<int>(value); };
  const cudnnDataType_t type = data_type(shape.dtype);
  const int n = as_int(shape.batch);
  const int c = as_int(shape.channels);
  const int k = as_int(shape.filters);
  const int r = as_int(shape.window);
  const int padding = as_int(shape.padding);
  const int stride = as_int(shape.stride);
  create(object);
  check_cudnn(library.SetTensor4dDescriptor(x, CUDNN_TENSOR_NHWC, type, n, c, as_int(shape.height),
                                            as_int(shape.width)),
              object);
  check_cudnn(library.SetTensor4dDescriptor(y, CUDNN_TENSOR_NHWC, type, n, k, as_int(shape.out_height),
                                            as_int(shape.out_width)),
              object);
  check_cudnn(library.SetTensor4dDescriptor(bias, CUDNN_TENSOR_NHWC, type, 1, k, 1, 1), object);
  check_cudnn(library.SetFilter4dDescriptor(w, type, CUDNN_TENSOR_NHWC, k, c, r, r), object);
  check_cudnn(library.SetConvolution2dDescriptor(convolution, padding, padding, stride, stride, 1, 1,
                                                 CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
              object);
  // FMA math keeps tf32 out of fp32.
  check_cudnn(library.SetConvolutionMathType(
                  convolution, shape.dtype == ir::DType::fp32 ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH),
              object);
  check_cudnn(library.SetActivationDescriptor(
                  activation,
                  shape.activation == Activation::relu ? CUDNN_ACTIVATION_RELU : CUDNN_ACTIVATION_IDENTITY,
                  CUDNN_NOT_PROPAGATE_NAN, 0.0),
              object);
}

Descriptors::~Descriptors() {
  if (x != nullptr) (void)library.DestroyTensorDescriptor(x);
  if (y != nullptr) (void)library.DestroyTensorDescriptor(y);
  if (bias != nullptr) (void)library.DestroyTensorDescriptor(bias);
  if (w != nullptr) (void)library.DestroyFilterDescriptor(w);
  if (convolution != nullptr) (void)library.DestroyConvolutionDescriptor(convolution);
  if (activation != nullptr) (void)library.DestroyActivationDescriptor(activation);
}

ConvolutionCall describe_call(OpContext& context, const ConvolutionShape& shape,
                              const Descriptors& descriptors) {
  ConvolutionHandle& handle = *context.convolution;
  ConvolutionCall call;
  call.library = handle.library;
  call.handle = handle.handle;
  call.handle_stream = &handle.stream;
  call.x_descriptor = descriptors.x;
  call.y_descriptor = descriptors.y;
  call.bias_descriptor = descriptors.bias;
  call.w_descriptor = descriptors.w;
  call.convolution = descriptors.convolution;
  call.activation = descriptors.activation;
  call.residual_scale = shape.has_residual ? 1.0f : 0.0f;
  call.workspace = context.workspace;
  return call;
}

// The fused call has no query of what it supports, so it is recorded once into a graph that is thrown
// away: nothing runs, and an algorithm that it refuses is passed over here instead of at the first step.
bool can_be_recorded(ConvolutionCall call, const OpContext& context) {
  void* const operands[] = {context.workspace};
  for (Source* source :
       {&call.x_source, &call.w_source, &call.bias_source, &call.residual_source, &call.y_source}) {
    *source = operand_source(0);
  }
  NativeCall native = call;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create stream");
  bool accepted = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
  try {
    bind(native, operands, "");
    make_call(native, stream, "");
  } catch (const Error&) {
    accepted = false;
  }
  cudaGraph_t graph = nullptr;
  accepted = cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph != nullptr && accepted;
  if (graph != nullptr) (void)cudaGraphDestroy(graph);
  (void)cudaGetLastError();
  const cudnnStatus_t reset = call.library->SetStream(call.handle, nullptr);
  *call.handle_stream = nullptr;
  log_failure(cudaStreamDestroy(stream), "destroy stream");
  if (reset != CUDNN_STATUS_SUCCESS) raise_cudnn(reset, "reset the stream of", "cuDNN");
  return accepted;
}

// Only algorithms that multiply the given elements: transforms (FFT, Winograd) would not do their
// arithmetic in fp32 alone.
bool is_direct(cudnnConvolutionFwdAlgo_t algo) {
  return algo == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM ||
         algo == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM || algo == CUDNN_CONVOLUTION_FWD_ALGO_GEMM;
}

AlgorithmChoice choose(OpContext& context, const ConvolutionShape& shape, const Descriptors& descriptors,
                       const char* object) {
  ConvolutionHandle& handle = *context.convolution;
  cudnnConvolutionFwdAlgoPerf_t candidates[CUDNN_CONVOLUTION_FWD_ALGO_COUNT];
  int found = 0;
  check_cudnn(handle.library->GetConvolutionForwardAlgorithm_v7(
                  handle.handle, descriptors.x, descriptors.w, descriptors.convolution, descriptors.y,
                  CUDNN_CONVOLUTION_FWD_ALGO_COUNT, &found, candidates),
              object);
  for (int i = 0; i < found; ++i) {
    const cudnnConvolutionFwdAlgoPerf_t& candidate = candidates[i];
    if (candidate.status != CUDNN_STATUS_SUCCESS || candidate.determinism != CUDNN_DETERMINISTIC) continue;
    if (candidate.memory > context.workspace_bytes || !is_direct(candidate.algo)) continue;
    ConvolutionCall call = describe_call(context, shape, descriptors);
    call.algo = candidate.algo;
    call.workspace_bytes = context.workspace_bytes;
    if (can_be_recorded(call, context)) return {true, candidate.algo, context.workspace_bytes};
  }
  return {};
}

}  // namespace

std::optional<PreparedOp> prepare_cudnn_convolution(OpContext& context, const ConvolutionShape& shape,
                                                    const ir::OpCall& call) {
  const char* object = call.op->name.c_str();
  if (context.convolution == nullptr)
    context.convolution = std::make_shared<ConvolutionHandle>(cudnn_library());
  auto descriptors = std::make_shared<Descriptors>(*context.convolution->library, shape, object);
  auto [known, is_new] = context.convolution->choices.try_emplace(shape);
  if (is_new) known->second = choose(context, shape, *descriptors, object);
  const AlgorithmChoice& choice = known->second;
  if (!choice.usable) return std::nullopt;

  PreparedOp prepared;
  ConvolutionCall convolution = describe_call(context, shape, *descriptors);
  convolution.algo = choice.algo;
  convolution.workspace_bytes = choice.workspace_bytes;
  convolution.x_source = operand_source(0);
  convolution.w_source = operand_source(1);
  convolution.y_source = operand_source(call.input_count);
  convolution.residual_source =
      operand_source(shape.has_residual ? shape.residual_operand() : call.input_count);
  convolution.bias_source = operand_source(shape.bias_operand());
  if (!shape.has_bias) {  // the call wants one: zeros
    const std::size_t bytes = static_cast<std::size_t>(shape.filters) * ir::size_of(shape.dtype);
    prepared.buffers.emplace_back(*context.device, bytes);
    check(cudaMemset(prepared.buffers.back().data(), 0, bytes), "prepare", object);
    check(cudaDeviceSynchronize(), "prepare", object);
    convolution.bias_source = fixed_source(prepared.buffers.back().data());
  }
  prepared.calls.emplace_back(convolution);
  prepared.resources.push_back(descriptors);
  prepared.resources.push_back(context.convolution);
  return prepared;
}

void release_convolution_handle(OpContext& context) noexcept {
  context.convolution.reset();
}

}  // namespace graphbench::cuda

#else

namespace graphbench::cuda {

std::optional<PreparedOp> prepare_cudnn_convolution(OpContext&, const ConvolutionShape&, const ir::OpCall&) {
  return std::nullopt;
}

void release_convolution_handle(OpContext&) noexcept {}

}  // namespace graphbench::cuda

#endif
