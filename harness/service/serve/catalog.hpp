// What requests may name: the plugins in one folder, by their bare names; and workloads, presets and options,
// those built in and those of the plugins.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "harness/service/serve/sweep_request.hpp"

namespace graphbench::serve {

// Read at each call, so that a plugin may be added while the service runs. No part of a request becomes part
// of a path: names in requests are compared with those in the folder.
class PluginFolder {
 public:
  PluginFolder() = default;  // no plugins
  // Empty: no plugins. Throws InputError for `--plugin-folder` where `folder` is no folder, or where it or a
  // plugin in it is owned or can be written by others than root and this process's user.
  explicit PluginFolder(const std::string& folder);

  bool given() const noexcept { return !folder_.empty(); }
  // NAME of each NAME.so, in order: letters, digits, _ and - alone. Left out are links that leave the folder,
  // what is no plain file, and what others have come to own or may write. Nothing is loaded.
  std::vector<std::string> names() const;
  // Where a plugin lies, without links. Throws Error(io) with the reason where names() lacks it.
  std::string path_of(const std::string& name) const;

 private:
  std::string folder_;  // without links; empty: none
};

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
