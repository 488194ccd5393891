// Addresses of a step's activations, laid out by walking its ops.
#pragma once

#include <functional>
#include <vector>

#include "graphs/execution/pool/memory_pool.hpp"
#include "graphs/execution/step_kernels.hpp"

namespace graphbench::execution {

// Gives every activation its address by walking the ops in replay order: allocate an op's outputs, then
// release what it used last. A value that a later piece reads is thereby held until that piece is planned,
// which is the sufficient condition for sharing: capture in replay order, hold a value until its consumer is
// captured. `after` is called behind each op. All blocks are the pool's again when the call returns, so the
// next, smaller batch reuses them.
void lay_out(const StepKernels& kernels, pool::MemoryPool& pool, std::vector<void*>& addresses,
             const std::function<void(std::size_t op)>& after);

}  // namespace graphbench::execution
