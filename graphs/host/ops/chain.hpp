// A chain of ops as one: a tile of rows goes through all of them before the next one does.
#pragma once

#include <memory>

#include "graphs/device/execution.hpp"
#include "graphs/device/scratch_arena.hpp"
#include "graphs/host/op_implementation.hpp"

namespace graphbench::host {

// Operands: what the chain reads, then what it writes. What stays inside is a tile of scratch memory.
std::unique_ptr<OpImplementation> make_chain(const ChainCall& call, ScratchArena& scratch);

}  // namespace graphbench::host
