// Digests that must be equal if two processes measure parts of one plan. A rebuild can change a digest.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/model/plan.hpp"

namespace graphbench::sweep {

// Digests of this program (executable, libraries, backends) and of the plugins' files. Both throw Error(io).
std::string binary_digest();
std::string plugins_digest(const std::vector<std::string>& paths);

// The task without what may differ between two runs of one plan: device, paths, and the chosen CPU.
model::WorkerTask without_place(model::WorkerTask task);

// Digests by their names in messages, in the order in which differences are reported: plan (all tasks
// without device and chosen CPU), binary, plugins, kind of device (the fingerprint).
using RunIdentity = std::vector<std::pair<std::string, std::string>>;
// `more`: what else decides about what is measured; part of the plan's digest.
RunIdentity identity_of(const model::Plan& plan, const model::DeviceFacts& facts,
                        const std::vector<std::string>& plugins, const std::string& more = "");

}  // namespace graphbench::sweep
