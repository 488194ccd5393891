// Makes prepared calls of ops, and holds the resources of these functions.
#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "graphs/cuda/prepared_kernel.hpp"
#include "graphs/device/instruments.hpp"
#include "graphs/device/scratch_arena.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::cuda {

struct CudnnHandle;  // cuDNN's handle, made when the first op that may use it is prepared
class Tuner;         // tuning/tuner.hpp
class CudaStream;

// The resources that a device offers its ops. All kernels share `workspace`, because they run one after
// another; kernels of plugins, whose memset nodes are not replaced (replace_memset_nodes), share `scratch`.
struct OpContext {
  DeviceMemory* memory = nullptr;
  cublasLtHandle_t cublas = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  std::unique_ptr<ScratchArena> scratch;
  int multiprocessors = 0;
  int compute_major = 0;
  bool use_cudnn = false;
  bool load_at_first_use = false;
  bool programmatic = false;  // our kernels may start while the kernel ahead still runs
  std::shared_ptr<CudnnHandle> cudnn;
  std::shared_ptr<Tuner> tuner;
  std::weak_ptr<CudaStream*> latest_stream;             // for timing candidates
  std::map<std::string, cublasLtMatmulAlgo_t> matmuls;  // chosen so far, by choose_matmul()'s key
};

// Dispatches on the op's kind. Throws Error(unsupported), which names an op without an implementation here.
PreparedOp prepare_op(OpContext& context, const ir::OpCall& call);

// Loads the code of the prepared calls: looks our kernels up, captures the libraries' calls once and discards
// the graph. Otherwise the first launch of a kernel would load it, within the timed capture of a step (5 to
// 10 ms on an H200, unless timing the candidates has loaded it). Nothing runs, so addresses do not matter.
// Does nothing if code is to be loaded at its first use.
void load_code(OpContext& context, const PreparedOp& prepared, const ir::OpCall& call);

// The cuDNN plans made so far that cuDNN can write down, by the tuner's key.
std::map<std::string, std::string> serialised_plans(const OpContext& context);

// Is called before a stream that cuDNN's handle is set to is destroyed. Does nothing if there is no
// handle.
void forget_cudnn_stream(OpContext& context, const char* object);

// Prepares an op that is one launch. Each thread reads its part of input `in_place_input` before it writes
// there.
inline PreparedOp one_launch(KernelCall launch, std::optional<std::size_t> in_place_input = std::nullopt) {
  PreparedOp prepared;
  prepared.calls.emplace_back(std::move(launch));
  prepared.in_place_input = in_place_input;
  return prepared;
}

[[noreturn]] void refuse(const ir::OpCall& call, const std::string& why);  // Error(unsupported)

enum class Activation : int { none = 0, gelu_tanh = 1, relu = 2 };
Activation activation_of(const ir::Op& op);

// The last dimension of a tensor, and how many rows of it there are.
struct RowsColumns {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};
RowsColumns rows_columns(const ir::TensorDesc& tensor);

}  // namespace graphbench::cuda
