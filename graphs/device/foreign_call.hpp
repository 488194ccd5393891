// The record with which a plugin's op is called, as the ABI describes it.
#pragma once

#include "graphs/ir/program.hpp"

namespace graphbench {

// A record of the call and of copies of all that it points to. The ABI promises plugins that it stays valid,
// at one address, until the sweep ends, and lets them use that address as a key: so none is ever freed, nor
// its address another call's, though kernels, devices and programs go earlier. Thread-safe.
const gb_op_call& make_foreign_call(const ir::OpCall& call);

}  // namespace graphbench
