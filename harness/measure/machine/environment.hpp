// The machine that a sweep runs on, which must be known to judge its numbers.
#pragma once

#include <string>

#include "harness/model/result.hpp"

namespace graphbench::machine {

// Reads this machine's hostname, system, CPU and cores, and our variables that change what is measured. A
// fact that cannot be read is "unknown".
model::Environment read_environment();

// SHA-256 over what must agree for numbers to be comparable: device kind, name, compute capability,
// driver, runtime, libraries, CPU and the tool's version (not its commit, because commits are compared).
std::string fingerprint_of(const model::Environment& environment);

}  // namespace graphbench::machine
