// Which workloads a sweep runs, each with its preset, data types and option values. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/options/options.hpp"
#include "harness/sweep/plan/catalog.hpp"

namespace graphbench::plan {

struct WorkloadChoice {
  std::string name;
  std::string preset;
  std::map<std::string, std::int64_t> options;  // overrides of the preset
};

// In the order asked for. Throws InputError: an unknown workload (with a suggestion), a preset it does
// not have (naming those it has), an unknown or out-of-range `--set` key. Where no preset was asked for
// and a workload has no default one, its first is taken.
std::vector<WorkloadChoice> choose_workloads(const config::SweepOptions& options, const Catalog& catalog);

// The facts about the sweep's one workload if it is a foreign step; null if workloads are programs.
const abi::WorkloadInfo* step_of(const std::vector<WorkloadChoice>& workloads, const Catalog& catalog);

// The dtypes asked for, or the device's default. Throws InputError if the device does not support one.
std::vector<std::string> choose_dtypes(const config::SweepOptions& options, const Catalog& catalog);

}  // namespace graphbench::plan
