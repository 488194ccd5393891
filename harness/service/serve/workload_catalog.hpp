// Which workloads, presets and options a request may name: those built in, and those of the plugins it names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "harness/service/serve/sweep_request.hpp"

namespace graphbench::serve {

class WorkloadCatalog {
 public:
  // Loads the plugins' files in a process of its own, and returns all workloads, those built in as well.
  // Throws InputError, on the key `plugins`, for one that does not load, and Error where no process answers.
  using Ask = std::function<std::vector<abi::WorkloadInfo>(const std::vector<std::string>& plugin_files)>;

  WorkloadCatalog() = default;  // knows nothing and refuses nothing
  WorkloadCatalog(std::vector<abi::WorkloadInfo> built_in, Ask ask);

  // Throws InputError for an unknown name, with the key and the known names. `plugin_files`: those of the
  // request's plugins, in its order; with them this takes as long as loading them.
  void check(const SweepRequest& request, const std::vector<std::string>& plugin_files) const;

 private:
  std::vector<abi::WorkloadInfo> built_in_;
  Ask ask_;
};

}  // namespace graphbench::serve
