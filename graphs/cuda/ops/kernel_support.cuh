// Helpers for the .cu files of ops: choose the template instance for an element type, and launch dimensions.
#pragma once

#include <cstdint>

#include "graphs/cuda/convert.cuh"
#include "graphs/cuda/ops/op_builders.hpp"

namespace graphbench::cuda {

// Begins a kernel that does no work before the preceding kernels end.
__device__ __forceinline__ void take_turn() {
  let_next_kernel_start();
  wait_for_kernels_ahead();
}

__device__ __forceinline__ void prefetch_l2(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

template <class Choose>
auto for_float_type(const ir::OpCall& call, ir::DType dtype, Choose choose) {
  switch (dtype) {
    case ir::DType::fp32:
      return choose(float{});
    case ir::DType::fp16:
      return choose(__half{});
    case ir::DType::bf16:
      return choose(__nv_bfloat16{});
    case ir::DType::i32:
      break;
  }
  refuse(call, "element type i32 is not supported");
}

template <class Choose>
const void* kernel_for(const ir::OpCall& call, Choose choose, std::size_t operand = 0) {
  return for_float_type(call, call.operands.at(operand).dtype,
                        [&](auto element) { return reinterpret_cast<const void*>(choose(element)); });
}

inline unsigned blocks_for(std::int64_t work, std::int64_t per_block) {
  return static_cast<unsigned>((work + per_block - 1) / per_block);
}

// The number of threads for `work` elements: whole warps, at most `most` threads.
inline unsigned threads_for(std::int64_t work, unsigned most) {
  const std::int64_t warps = (work + 31) / 32;
  return warps * 32 > most ? most : static_cast<unsigned>(warps * 32);
}

}  // namespace graphbench::cuda
