// The plan's hash. Two sweeps with equal hashes measure equal cells in the same way, on any device.
#pragma once

#include <string>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/options/options.hpp"
#include "harness/sweep/plan/workload_choice.hpp"

namespace graphbench::plan {

// The text to hash: lines of `key=value` for workloads with presets and options, axes, split ops, sampling
// limits and the caller's settings. Leaves out later axes at their default, launches, seed, options about
// output, the worker's time limit, and the device, whose fingerprint is in the result's environment.
std::string canonical_text(const model::PlanFacts& facts, const std::vector<WorkloadChoice>& workloads,
                           const config::SweepOptions& options,
                           const model::AxisTable& table = model::axes());

// The SHA-256 of the canonical text, in hex.
std::string plan_hash(const model::PlanFacts& facts, const std::vector<WorkloadChoice>& workloads,
                      const config::SweepOptions& options, const model::AxisTable& table = model::axes());

}  // namespace graphbench::plan
