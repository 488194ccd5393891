// The op kind `cond`: another built-in op, its body, that runs only where a predicate on the device is not 0.
#pragma once

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// `piecewise` always splits at this kind.
inline constexpr const char* cond_kind = "cond";

// The body of a cond, named as the cond is, with all attributes except `body`. Its inputs are the cond's
// without the predicate. Throws Error(invalid_argument) if `body` names no built-in kind that computes.
Op body_of(const Op& cond);

// The inputs of the program that conds read as their predicates.
std::vector<ValueId> predicates_of(const Program& program);

}  // namespace graphbench::ir
