// Prepares ops as lists of calls, from the resources of a device.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "graphs/cuda/handle.hpp"
#include "graphs/cuda/prepared_kernel.hpp"
#include "graphs/device/instruments.hpp"
#include "graphs/device/scratch_arena.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::cuda {

struct CudnnHandle;
class Tuner;
class CudaStream;

// The kernels of one branch share `workspace`, because they run one after another. Plugins' kernels use
// `scratch`, so that replace_memset_nodes() keeps their memset nodes.
struct OpContext {
  DeviceMemory* memory = nullptr;
  CublasHandle cublas;  // empty until a product is prepared
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  std::unique_ptr<ScratchArena> scratch;
  int multiprocessors = 0;
  int compute_major = 0;
  bool use_cudnn = false;
  bool load_at_first_use = false;
  bool programmatic = false;           // our kernels may start while the previous kernel runs
  std::shared_ptr<CudnnHandle> cudnn;  // null until an op that may use cuDNN is prepared
  std::shared_ptr<Tuner> tuner;
  std::weak_ptr<CudaStream*> latest_stream;
  std::map<std::string, cublasLtMatmulAlgo_t> matmuls;  // choices so far, by key of choose_matmul()
};

// Throws Error(unsupported), which names the op, if there is no function for its kind.
PreparedOp prepare_op(OpContext& context, const ir::OpCall& call);

// The cuDNN plans so far as text, by the tuner's key. The text is empty if cuDNN cannot serialise the plan.
std::map<std::string, std::string> serialised_plans(const OpContext& context);

// Call before destroying a stream that cuDNN's handle may be set to.
void forget_cudnn_stream(OpContext& context, const char* object);

// The input with the index `in_place_input` may share memory with the output: each thread reads its elements
// before it writes them.
inline PreparedOp one_launch(KernelCall launch, std::optional<std::size_t> in_place_input = std::nullopt) {
  PreparedOp prepared;
  prepared.calls.emplace_back(std::move(launch));
  prepared.in_place_input = in_place_input;
  return prepared;
}

[[noreturn]] void refuse(const ir::OpCall& call, const std::string& why);  // Error(unsupported)

enum class Activation : int { none = 0, gelu_tanh = 1, relu = 2 };
Activation activation_of(const ir::Op& op);

struct RowsColumns {
  std::int64_t rows = 0;
  std::int64_t columns = 0;  // the last dimension
};
RowsColumns rows_columns(const ir::TensorDesc& tensor);

}  // namespace graphbench::cuda
