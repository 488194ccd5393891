// Where a sweep ran: what must be known to judge its numbers.
#pragma once

#include <string>

#include "harness/model/result.hpp"

namespace graphbench::sweep {

// This machine's hostname, system, CPU and cores. A fact that cannot be read is "unknown".
model::Environment read_environment();

// SHA-256 over what must agree for numbers to be comparable: device kind, name, compute capability,
// driver, runtime, libraries, CPU and the tool's version (not its commit: comparing commits is the point).
std::string fingerprint_of(const model::Environment& environment);

// "2026-11-21T08:15:30Z"
std::string utc_now();

}  // namespace graphbench::sweep
