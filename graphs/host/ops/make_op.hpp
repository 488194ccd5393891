// Prepares an op on the host with the function of its kind.
#pragma once

#include <memory>

#include "graphs/device/scratch_arena.hpp"
#include "graphs/host/op_implementation.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::host {

// Throws Error(unsupported) naming the op if its kind has no implementation here.
std::unique_ptr<OpImplementation> make_op(const ir::OpCall& call, ScratchArena& scratch);

}  // namespace graphbench::host
