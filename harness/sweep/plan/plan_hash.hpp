// The plan's hash, which is equal exactly if two sweeps measure the same.
#pragma once

#include <string>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/options/options.hpp"
#include "harness/sweep/plan/workload_choice.hpp"

namespace graphbench::plan {

// The text to hash, with one `key=value` line each for axes, presets, options, split kinds and sampling
// limits. Leaves out later axes at their default, launches, seed, options about output, the worker's time
// limit, and the device, whose fingerprint is in the result's environment.
std::string canonical_text(const model::PlanFacts& facts, const std::vector<WorkloadChoice>& workloads,
                           const config::SweepOptions& options,
                           const model::AxisTable& table = model::axes());

// The SHA-256 of the canonical text, in hex.
std::string plan_hash(const model::PlanFacts& facts, const std::vector<WorkloadChoice>& workloads,
                      const config::SweepOptions& options, const model::AxisTable& table = model::axes());

}  // namespace graphbench::plan
