// Facts about the machine that a sweep runs on.
#pragma once

#include <string>

#include "harness/model/result.hpp"

namespace graphbench::measure {

// A fact that cannot be read is "unknown". `device` becomes a part of the environment and its fingerprint.
model::Environment read_environment(const model::DeviceFacts& device = {});

// SHA-256 of the facts that must be equal for comparable numbers: device kind, name, compute capability,
// driver, runtime, libraries, CPU and tool version. The commit is left out, because people compare commits.
std::string fingerprint_of(const model::Environment& environment);

}  // namespace graphbench::measure
