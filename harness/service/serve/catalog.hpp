// The names that requests may use: the plugins in one folder, by their bare names, and workloads, presets and
// options, built in or of the plugins.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "harness/service/serve/sweep_request.hpp"

namespace graphbench::serve {

// Reads the folder at each call, so that a plugin may be added while the service runs. No part of a request
// becomes part of a path, because names in requests are compared with those in the folder.
class PluginFolder {
 public:
  PluginFolder() = default;  // no plugins
  // An empty `folder` means no plugins. Throws InputError for `--plugin-folder` where `folder` is not a
  // folder, or others than root and this process's user own or can write it or a plugin in it.
  explicit PluginFolder(const std::string& folder);

  bool given() const noexcept { return !folder_.empty(); }
  // NAME of each NAME.so, in order, of letters, digits, _ and -. Leaves out links that leave the folder, what
  // is not a plain file, and what others own or may write. Loads nothing.
  std::vector<std::string> names() const;
  // A plugin's path without links. Throws Error(io) with the reason if names() lacks it.
  std::string path_of(const std::string& name) const;

 private:
  std::string folder_;  // without links; empty: none
};

class WorkloadCatalog {
 public:
  // Loads the plugins' files in a separate process, and returns all workloads, with those built in. Throws
  // InputError, on the key `plugins`, for one that does not load, and Error where no process answers.
  using Ask = std::function<std::vector<abi::WorkloadInfo>(const std::vector<std::string>& plugin_files)>;

  WorkloadCatalog() = default;  // knows nothing and refuses nothing
  WorkloadCatalog(std::vector<abi::WorkloadInfo> built_in, Ask ask);

  // Throws InputError for an unknown name, with the key and the known names. `plugin_files` are those of the
  // request's plugins, in its order; loading them takes time.
  void check(const SweepRequest& request, const std::vector<std::string>& plugin_files) const;

 private:
  std::vector<abi::WorkloadInfo> built_in_;
  Ask ask_;
};

}  // namespace graphbench::serve
