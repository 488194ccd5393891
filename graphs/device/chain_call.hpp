// A chain of a program as a device takes it.
#pragma once

#include "graphs/device/execution.hpp"
#include "graphs/ir/chains.hpp"

namespace graphbench {

// The program outlives the result.
ChainCall chain_call(const ir::Program& program, const ir::Chain& chain, std::int64_t batch);

}  // namespace graphbench
