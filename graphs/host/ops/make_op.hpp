// Prepares an op on the host.
#pragma once

#include <memory>

#include "graphs/device/scratch_arena.hpp"
#include "graphs/host/op_implementation.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::host {

// Throws Error(unsupported), which names the op, if the host has no implementation of the op's kind.
std::unique_ptr<OpImplementation> make_op(const ir::OpCall& call, ScratchArena& scratch);

}  // namespace graphbench::host
