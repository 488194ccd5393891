// The facts that must be equal for two processes to measure one plan, as digests: a rebuilt file is another
// one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/model/plan.hpp"

namespace graphbench::sweep {

// The digest of this program: its own file, its libraries and backends. Throws Error(io).
std::string binary_digest();
// The digest of the files. Throws Error(io).
std::string plugins_digest(const std::vector<std::string>& paths);

// The parts of a plan's identity by their names in messages: plan (every task, without its device and the CPU
// chosen for it), binary, plugins, and kind of device (the fingerprint), in the order in which differences
// are reported.
using RunIdentity = std::vector<std::pair<std::string, std::string>>;
RunIdentity identity_of(const model::Plan& plan, const model::DeviceFacts& facts,
                        const std::vector<std::string>& plugins);

}  // namespace graphbench::sweep
