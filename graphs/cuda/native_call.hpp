// The prepared calls of a kernel: plain data with all arguments of a library call or kernel launch. A launch
// binds the operand addresses and makes the calls. tests/gpu makes the same calls in a bare loop, to measure
// the overhead of our classes.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "graphs/abi/graphbench_abi.h"
#include "graphs/base/error.hpp"
#include "graphs/cuda/cudnn_library.hpp"

namespace graphbench::cuda {

class CudnnDescriptor;
class CudnnPlan;
class HostRun;

struct Source {
  int operand = -1;        // -1: use `fixed`
  std::size_t offset = 0;  // in bytes
  void* fixed = nullptr;

  void* resolve(void* const* operands) const noexcept {
    return static_cast<std::byte*>(operand < 0 ? fixed : operands[operand]) + offset;
  }
};

inline Source operand_source(std::size_t index, std::size_t offset = 0) {
  return Source{static_cast<int>(index), offset, nullptr};
}
inline Source fixed_source(void* address) {
  return Source{-1, 0, address};
}

// A launch of one of our kernels. The kernel takes one struct by value; the struct begins with its pointers.
// If the arrays are too small, the two vectors contain the struct and the sources of its pointers.
struct KernelCall {
  static constexpr std::size_t parameter_bytes_max = 128;
  static constexpr std::size_t pointers_max = 7;

  const void* function = nullptr;
  dim3 grid;
  dim3 block;
  unsigned shared_bytes = 0;
  unsigned pointer_count = 0;
  unsigned cluster_blocks = 1;
  // The kernel may start before the preceding kernel ends; its code then waits for that end (convert.cuh).
  bool programmatic = false;
  alignas(16) std::array<std::byte, parameter_bytes_max> parameters{};
  std::array<Source, pointers_max> pointers{};
  std::vector<std::byte> long_parameters;
  std::vector<Source> long_pointers;

  void* argument() noexcept { return long_parameters.empty() ? parameters.data() : long_parameters.data(); }
  void bind(void* const* operands) noexcept {
    auto* const at = static_cast<std::byte*>(argument());
    const Source* const sources = long_pointers.empty() ? pointers.data() : long_pointers.data();
    for (unsigned i = 0; i < pointer_count; ++i) {
      void* address = sources[i].resolve(operands);
      std::memcpy(at + i * sizeof(void*), &address, sizeof(void*));
    }
  }
};

// D = epilogue(A B + beta C). Contains cuBLASLt's opaque structs by value, so that a copy is complete.
struct MatmulCall {
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDescOpaque_t description{};
  cublasLtMatrixLayoutOpaque_t a_layout{};
  cublasLtMatrixLayoutOpaque_t b_layout{};
  cublasLtMatrixLayoutOpaque_t c_layout{};
  cublasLtMatrixLayoutOpaque_t d_layout{};
  cublasLtMatmulAlgo_t algo{};
  float alpha = 1.0f;
  float beta = 0.0f;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  Source a_source;
  Source b_source;
  Source c_source;
  Source d_source;
  Source bias_source;
  bool has_bias = false;
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;
  void* d = nullptr;
  const void* bias = nullptr;

  cublasStatus_t bind(void* const* operands) noexcept;
};

#if defined(GRAPHBENCH_HAVE_CUDNN)
// One run of a cuDNN execution plan: a convolution with its epilogue, or attention. The CudnnHandle owns
// `handle` and `plan`. `pack`: cuDNN's variant pack of the addresses; calls with equal addresses share it.
struct CudnnCall {
  static constexpr std::size_t pointers_max = 5;
  const CudnnLibrary* library = nullptr;
  cudnnHandle_t handle = nullptr;
  cudaStream_t* handle_stream = nullptr;  // the handle's current stream, which all calls of the handle share
  CudnnPlan* plan = nullptr;
  cudnnBackendDescriptor_t execution_plan = nullptr;
  std::shared_ptr<const CudnnDescriptor> pack_owner;
  cudnnBackendDescriptor_t pack = nullptr;
  std::size_t pointer_count = 0;
  std::array<Source, pointers_max> pointers{};  // in the order of the plan's tensors
  std::array<void*, pointers_max> bound{};

  void bind(void* const* operands);
};
#else
struct CudnnCall {
  void bind(void* const*) {}
};
#endif

struct ForeignCall {
  static constexpr std::size_t operands_max = 64;
  const gb_op* op = nullptr;
  const gb_op_call* call = nullptr;
  HostRun* host = nullptr;  // set for a host op; `op` and `call` are then null
  std::size_t operand_count = 0;
  std::array<void*, operands_max> operands{};

  void bind(void* const* addresses) noexcept {
    for (std::size_t i = 0; i < operand_count; ++i) operands[i] = addresses[i];
  }
};

using NativeCall = std::variant<KernelCall, MatmulCall, CudnnCall, ForeignCall>;

// Puts the addresses into the call. Throws Error, which names `object`, if a library refuses them.
void bind_operands(NativeCall& call, void* const* operands, const char* object);

// Enqueues the call on `stream`. Throws Error, which names `object`, if that fails.
void make_call(NativeCall& call, cudaStream_t stream, const char* object);

// Loads the code of the function. Throws Error(unsupported) if there is no code for this device.
void resolve_function(const void* function, const char* object);

// `function`: a __global__ function that takes `Parameters` by value.
template <class Parameters>
KernelCall kernel_call(const void* function, dim3 grid, dim3 block, const Parameters& parameters,
                       std::initializer_list<Source> pointers) {
  static_assert(std::is_trivially_copyable_v<Parameters>);
  static_assert(sizeof(Parameters) <= KernelCall::parameter_bytes_max);
  GRAPHBENCH_ASSERT(pointers.size() <= KernelCall::pointers_max);
  KernelCall call;
  call.function = function;
  call.grid = grid;
  call.block = block;
  std::memcpy(call.parameters.data(), &parameters, sizeof(Parameters));
  for (const Source& source : pointers) call.pointers[call.pointer_count++] = source;
  return call;
}

// Like kernel_call(), for a struct that is longer or has more pointers than kernel_call() permits.
template <class Parameters>
KernelCall long_kernel_call(const void* function, dim3 grid, dim3 block, const Parameters& parameters,
                            std::vector<Source> pointers) {
  static_assert(std::is_trivially_copyable_v<Parameters>);
  static_assert(sizeof(Parameters) <= 4096);  // the limit of all GPUs
  KernelCall call;
  call.function = function;
  call.grid = grid;
  call.block = block;
  call.long_parameters.resize(sizeof(Parameters));
  std::memcpy(call.long_parameters.data(), &parameters, sizeof(Parameters));
  call.pointer_count = static_cast<unsigned>(pointers.size());
  call.long_pointers = std::move(pointers);
  return call;
}

}  // namespace graphbench::cuda
