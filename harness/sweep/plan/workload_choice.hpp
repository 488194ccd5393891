// What a sweep can choose from, and what it chooses: its workloads, each with its preset and option values,
// and its data types. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "harness/model/result.hpp"
#include "harness/options/options.hpp"

namespace graphbench::sweep {

// The workloads, devices and options of this machine and its plugins, as the probe process found them.
struct Catalog {
  std::string device;  // the name with which workers open the device: "cuda:0", "host"
  model::DeviceFacts facts{};
  std::string no_gpu = {};  // why --device auto took the host; empty if it did not
  std::vector<std::string> dtypes;
  std::vector<abi::WorkloadInfo> workloads;  // built-in workloads first, then by plugin
};

struct WorkloadChoice {
  std::string name;
  std::string preset;
  std::map<std::string, std::int64_t> options;  // overrides of the preset
};

// Returns the workloads in the requested order. Without --preset, a workload has the preset for this kind of
// device or, if it lacks that preset, its first. Throws InputError for an unknown workload or preset, and for
// a `--set` with an unknown key or a bad value.
std::vector<WorkloadChoice> choose_workloads(const options::SweepOptions& options, const Catalog& catalog);

// The facts about the sweep's one workload if it is a foreign step; null if the workloads are programs.
const abi::WorkloadInfo* step_of(const std::vector<WorkloadChoice>& workloads, const Catalog& catalog);

// The requested dtypes, or the device's default. Throws InputError for a dtype that the device lacks.
std::vector<std::string> choose_dtypes(const options::SweepOptions& options, const Catalog& catalog);

}  // namespace graphbench::sweep
