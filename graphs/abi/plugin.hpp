// The host side of the plugin ABI: loads plugins, checks their records, and builds Programs. Plugin code
// runs only in worker and probe processes, so a crash ends that process and not the sweep.
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

// What a plugin says about one workload, copied, so that nothing points into the plugin's memory.
struct WorkloadInfo {
  std::string name;
  std::string help;
  std::string plugin;  // "builtin", or the file's path
  std::vector<WorkloadOption> options;
  std::vector<WorkloadPreset> presets;
  // The modes of a foreign step (gb_step), which has no options or presets. Empty for a program's workload.
  std::vector<std::string> modes = {};

  bool is_step() const { return !modes.empty(); }
};

struct CheckedWorkload {
  WorkloadInfo info;
  gb_workload workload{};  // a copy with the fields of our header
  gb_step step{};          // a copy, set for a foreign step instead of `workload`
};

// A plugin whose record is in memory, not in a file. The record must stay valid until the process ends.
struct LentPlugin {
  const gb_plugin* plugin = nullptr;
  std::string origin;
};

struct BuildChoice {
  std::string preset;
  ir::DType dtype = ir::DType::fp32;
  std::string pass = "forward";  // or "training": then build() adds gradients
  std::map<std::string, std::int64_t> options = {};
  // The chosen value of each axis, by the axis's name. build() reads the axes of ir::training_options() and
  // three others: `attention` (only "decomposed" changes the program), `epilogues` (only "off" and "joined"
  // change it) and `program-pass` (names of plugins' rewriting passes, A+B).
  std::map<std::string, std::string> axes = {};
  std::vector<std::string> splits = {};  // for `piecewise`; empty: the workload's own splits
};

// A new registry has the built-in kinds and no workload. It must outlive the programs and pointers it
// returns.
class WorkloadRegistry {
 public:
  // `origin` names the plugin in errors. Throws Error(plugin_failed) for another ABI version, a wrong size,
  // a null or malformed field, or a name in use.
  void add(const gb_plugin& plugin, const std::string& origin);

  // Throws Error(plugin_failed) if the file does not exist, is not a shared library or lacks the entry
  // point, or if the entry point returns an error or throws.
  void load(const std::string& path);

  std::vector<WorkloadInfo> workloads() const;
  const ir::OpCatalog& catalog() const { return catalog_; }

  // Throws Error(invalid_argument) for an unknown workload, preset, option or program pass and for values out
  // of range, Error(plugin_failed) if the workload's build() fails or throws, and the errors of
  // differentiate().
  ir::Program build(std::string_view workload, const BuildChoice& choice) const;
  // The workload's own program, without gradients even for `training`.
  ir::Program build_forward(std::string_view workload, const BuildChoice& choice) const;
  // The record of a foreign step; null for a workload that builds a program.
  const gb_step* step(std::string_view workload) const;

 private:
  struct Pass {
    gb_program_pass record{};
    std::string plugin;
  };
  const CheckedWorkload& entry(std::string_view workload) const;
  const Pass& pass(const std::string& name) const;

  ir::OpCatalog catalog_;
  std::vector<CheckedWorkload> entries_;
  std::vector<Pass> passes_;
};

}  // namespace graphbench::abi
