// Shape inference of a plugin's op, through the C ABI.
#pragma once

#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Throws Error(invalid_argument) with the plugin's reason, Error(plugin_failed) where the plugin
// throws or describes something impossible. The text begins with the op's name.
std::vector<InferredOutput> infer_foreign(const Op& op, const gb_op& definition,
                                          const std::vector<const Value*>& inputs);

// The op's attributes as ABI records; they point into `op` and live as long.
std::vector<gb_attr> abi_attributes(const Op& op);

}  // namespace graphbench::ir
