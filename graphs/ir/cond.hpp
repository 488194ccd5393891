// The op kind `cond`. Its body, another built-in op, runs only if a predicate on the device is not 0.
#pragma once

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// `piecewise` always splits at this kind.
inline constexpr const char* cond_kind = "cond";

// Returns the body as an op: the cond's name, attributes except `body`, and inputs except the predicate.
// Throws Error(invalid_argument) unless `body` is a built-in kind that computes from its inputs alone.
Op body_of(const Op& cond);

// Returns the program's inputs that `cond` ops read as predicates.
std::vector<ValueId> predicates_of(const Program& program);

}  // namespace graphbench::ir
