// Prepares an op on the host: the function that chooses among those of the kinds.
#pragma once

#include <memory>

#include "graphs/device/scratch_arena.hpp"
#include "graphs/host/op_implementation.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::host {

// Throws Error(unsupported) naming the op if its kind has no implementation here.
std::unique_ptr<OpImplementation> make_op(const ir::OpCall& call, ScratchArena& scratch);

}  // namespace graphbench::host
