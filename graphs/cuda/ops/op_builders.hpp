// How ops become prepared calls: one function a kind, and what those functions work with.
#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "graphs/cuda/prepared_kernel.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::cuda {

struct CudnnHandle;  // cuDNN's handle, made when the first op that may use it is prepared
class Tuner;         // tuning/tuner.hpp
class CudaStream;

// What makes a product of one shape: an algorithm of cuBLASLt, or by its name a kernel of our own.
struct MatmulChoice {
  std::string name;
  cublasLtMatmulAlgo_t algorithm{};
};

// What a device offers its ops. `workspace` is shared by all kernels, which run one after another.
struct OpContext {
  Device* device = nullptr;
  cublasLtHandle_t cublas = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  int multiprocessors = 0;
  int compute_major = 0;
  bool use_cudnn = false;
  bool programmatic = false;  // our kernels start while the kernel ahead of them still runs
  std::shared_ptr<CudnnHandle> cudnn;
  std::shared_ptr<Tuner> tuner;
  std::weak_ptr<CudaStream*> latest_stream;     // of those alive, for timing candidates
  std::map<std::string, MatmulChoice> matmuls;  // chosen so far, by shape
};

// Dispatches on the op's kind. Throws Error(unsupported) naming an op that has no implementation here.
PreparedOp prepare_op(OpContext& context, const ir::OpCall& call);

// Captures the libraries' calls once and throws the graph away: they load a kernel's code when it is first
// launched, and in the first capture of a step that would be timed as part of it (5 to 10 ms on an H200,
// unless timing the candidates had loaded it). Nothing runs, so any addresses will do.
void load_code(OpContext& context, const PreparedOp& prepared, const ir::OpCall& call);

// One kernel for two ops, where there is one and it is not slower than two.
std::optional<PreparedOp> prepare_fused(OpContext& context, const FusionCall& call);

PreparedOp prepare_rmsnorm(OpContext& context, const ir::OpCall& call);
PreparedOp prepare_linear(OpContext& context, const ir::OpCall& call);
PreparedOp prepare_rope_kv_append(OpContext& context, const ir::OpCall& call);
PreparedOp prepare_sdpa(OpContext& context, const ir::OpCall& call);
PreparedOp prepare_conv2d(OpContext& context, const ir::OpCall& call);
PreparedOp prepare_add(OpContext& context, const ir::OpCall& call);
PreparedOp prepare_relu(OpContext& context, const ir::OpCall& call);
PreparedOp prepare_gelu_tanh(OpContext& context, const ir::OpCall& call);
PreparedOp prepare_softmax(OpContext& context, const ir::OpCall& call);
PreparedOp prepare_foreign(OpContext& context, const ir::OpCall& call);

// Before a stream that cuDNN's handle was set to goes; does nothing where there is no handle.
void forget_cudnn_stream(OpContext& context, const char* object);

// Gives the device's cuDNN handle back, before the workspace goes.
void release_cudnn_handle(OpContext& context) noexcept;

[[noreturn]] void refuse(const ir::OpCall& call, const std::string& why);  // Error(unsupported)

enum class Activation : int { none = 0, gelu_tanh = 1, relu = 2 };
Activation activation_of(const ir::Op& op);

// The last dimension, and how many rows of it the tensor has.
struct RowsColumns {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};
RowsColumns rows_columns(const ir::TensorDesc& tensor);

}  // namespace graphbench::cuda
