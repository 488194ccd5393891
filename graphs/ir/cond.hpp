// The op kind `cond`. Its body, another built-in op, runs only if a predicate on the device is not 0.
#pragma once

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// `piecewise` always splits at this kind.
inline constexpr const char* cond_kind = "cond";

// Returns the body as an op with the cond's name, all attributes except `body`, and all inputs except the
// predicate. Throws Error(invalid_argument) if `body` names no built-in kind that computes.
Op body_of(const Op& cond);

// The inputs of the program that conds read as their predicates.
std::vector<ValueId> predicates_of(const Program& program);

}  // namespace graphbench::ir
