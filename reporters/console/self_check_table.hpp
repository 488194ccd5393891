// What a self-check found, for people at a terminal.
#pragma once

#include <ostream>

#include "harness/model/self_check.hpp"

namespace graphbench::reporters {

void print_self_check(std::ostream& out, const model::SelfCheck& check, bool colours);

}  // namespace graphbench::reporters
