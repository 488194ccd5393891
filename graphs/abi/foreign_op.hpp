// A plugin's op as the rest of the program sees it: its definition for the catalog, and the record that its
// launch functions are called with.
#pragma once

#include "graphs/abi/graphbench_abi.h"
#include "graphs/ir/program.hpp"

namespace graphbench::abi {

// The ABI's dtypes and value kinds are ours by number, so that casts translate them.
static_assert(GB_FP32 == int(ir::DType::fp32) && GB_FP16 == int(ir::DType::fp16) &&
              GB_BF16 == int(ir::DType::bf16) && GB_I32 == int(ir::DType::i32));
static_assert(GB_INPUT == int(ir::ValueKind::input) && GB_WEIGHT == int(ir::ValueKind::weight) &&
              GB_STATE == int(ir::ValueKind::state));

// The definition refers to `op`, which must live as long. Its inference calls the plugin's and checks all
// that it returns. It throws Error(invalid_argument) with the plugin's reason, and Error(plugin_failed) where
// the plugin throws or describes something impossible.
ir::OpDefinition foreign_definition(const gb_op& op);

// A record of the call and of copies of all that it points to. The ABI promises plugins that it stays valid,
// at one address, until the sweep ends, and lets them use that address as a key. So no record is ever freed,
// and no address is reused, though kernels, devices and programs go earlier. Thread-safe.
const gb_op_call& make_foreign_call(const ir::OpCall& call);

}  // namespace graphbench::abi
