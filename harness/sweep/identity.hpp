// Digests that must be equal if two processes measure parts of one plan. A file's digest covers its bytes,
// so a rebuilt file may have another digest.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/model/plan.hpp"

namespace graphbench::sweep {

// The digest of this program: its executable, libraries and backends. Throws Error(io).
std::string binary_digest();
// The digest of the plugins' files. Throws Error(io).
std::string plugins_digest(const std::vector<std::string>& paths);

// The parts of a plan's identity, by their names in messages and in the order in which differences are
// reported: plan (all tasks without device and chosen CPU), binary, plugins, and kind of device (the
// fingerprint).
using RunIdentity = std::vector<std::pair<std::string, std::string>>;
RunIdentity identity_of(const model::Plan& plan, const model::DeviceFacts& facts,
                        const std::vector<std::string>& plugins);

}  // namespace graphbench::sweep
