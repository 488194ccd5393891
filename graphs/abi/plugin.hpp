// The host side of the plugin ABI: loads plugins, checks what they hand over, and turns a workload
// into a Program. Plugin code runs only inside worker and probe processes: one that crashes costs
// its process, not the sweep.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/abi/graphbench_abi.h"
#include "graphs/ir/program.hpp"

namespace graphbench::abi {

struct WorkloadOption {
  std::string key;
  std::string help;
  std::int64_t min = 1;
  std::int64_t max = 1;
};

struct WorkloadPreset {
  std::string name;
  std::map<std::string, std::int64_t> values;  // every option of the workload
};

// What a workload says of itself; a copy, independent of the plugin.
struct WorkloadInfo {
  std::string name;
  std::string help;
  std::string plugin;  // "builtin", or the file's path
  std::vector<WorkloadOption> options;
  std::vector<WorkloadPreset> presets;
};

struct BuildChoice {
  std::string preset;
  ir::DType dtype = ir::DType::fp32;
  std::string pass = "forward";                 // or "training": the forward program differentiated
  std::map<std::string, std::int64_t> options;  // overrides of the preset
  // Values by axis, of which these mean something here: what ir::training_options() takes; `attention`, where
  // it is "decomposed"; `epilogues`, where it is "off" or "joined"; `program-pass`, a plugin's pass that
  // rewrites the program.
  std::map<std::string, std::string> axes = {};
  std::vector<std::string> split_kinds = {};  // of `piecewise`; empty: the workload's own
};

// The workloads and op kinds of this process: at first the built-in kinds, and no workload. Everything it
// returns points into it.
class WorkloadRegistry {
 public:
  // Takes a plugin's record. `origin` names it in errors. Throws Error(plugin_failed): another ABI
  // version (both named), a wrong size, a null or malformed field, a name taken before.
  void add(const gb_plugin& plugin, const std::string& origin);

  // Loads a shared library and adds its plugin. Throws Error(plugin_failed): no such file, no shared
  // library, no entry point, an error it returned, an exception it threw.
  void load(const std::string& path);

  std::vector<WorkloadInfo> workloads() const;
  const ir::OpCatalog& catalog() const { return catalog_; }

  // Throws Error(invalid_argument) for an unknown workload, preset, option or program pass and for values out
  // of range; Error(plugin_failed) where the workload's build() fails or throws; what differentiate() throws.
  ir::Program build(std::string_view workload, const BuildChoice& choice) const;
  // What a step of the pass computes ahead of its gradients: of `training` too, the workload's own program.
  ir::Program build_forward(std::string_view workload, const BuildChoice& choice) const;

 private:
  struct Entry {
    WorkloadInfo info;
    gb_workload workload{};
  };
  struct Pass {
    gb_program_pass record{};
    std::string plugin;
  };
  const Entry& entry(std::string_view workload) const;
  const Pass& pass(const std::string& name) const;

  ir::OpCatalog catalog_;
  std::vector<Entry> entries_;
  std::vector<Pass> passes_;
};

}  // namespace graphbench::abi
