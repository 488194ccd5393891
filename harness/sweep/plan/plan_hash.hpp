// The plan's hash: equal exactly where two sweeps asked for the same measurement.
#pragma once

#include <string>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/options/options.hpp"
#include "harness/sweep/plan/workload_choice.hpp"

namespace graphbench::plan {

// The text that is hashed, one `key=value` line each: axes, presets, options, split kinds and sampling
// bounds. Left out are later axes at their default, launches and seed, options about output, the worker's
// time limit, and the device, whose fingerprint is in the result's environment.
std::string canonical_text(const model::PlanFacts& facts, const std::vector<WorkloadChoice>& workloads,
                           const config::SweepOptions& options,
                           const model::AxisTable& table = model::axes());

// SHA-256 of the canonical text, in hex.
std::string plan_hash(const model::PlanFacts& facts, const std::vector<WorkloadChoice>& workloads,
                      const config::SweepOptions& options, const model::AxisTable& table = model::axes());

}  // namespace graphbench::plan
