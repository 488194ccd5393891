// Addresses of a step's activations: laid out by walking its ops, kept as a plan, and taken from one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graphs/execution/step_kernels.hpp"
#include "graphs/ir/address_plan.hpp"
#include "graphs/pool/memory_pool.hpp"

namespace graphbench::execution {

// Gives every activation its address by walking the ops in replay order: allocate an op's outputs, then
// release what it used last. A value that a later piece reads is thereby held until that piece is planned,
// which is the sufficient condition for sharing: capture in replay order, hold a value until its consumer is
// captured. `after` is called behind each op. All blocks are the pool's again when the call returns, so the
// next, smaller batch reuses them.
void lay_out(const StepKernels& kernels, pool::MemoryPool& pool, std::vector<void*>& addresses,
             const std::function<void(std::size_t op)>& after);

// What lay_out() gives in a pool of its own, which is made on `memory` for that.
ir::AddressPlan make_plan(const StepKernels& kernels, DeviceMemory& memory);

// Empty, or why the plan is not one of this step: every value with memory of its own has one place, aligned,
// within its segment, and apart from all values that live at the same time.
std::string why_not(const ir::AddressPlan& plan, const StepKernels& kernels);

// A plan that why_not() has nothing against, in the pool's memory, all of which is free again afterwards.
void take_plan(const ir::AddressPlan& plan, const StepKernels& kernels, pool::MemoryPool& pool,
               std::vector<void*>& addresses);

}  // namespace graphbench::execution
