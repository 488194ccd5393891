// The names that requests may use: plugins of one folder, and workloads, presets and options.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "harness/service/serve/sweep_request.hpp"

namespace graphbench::service {

// Reads the folder at each call, so that plugins can be added while the service runs.
class PluginFolder {
 public:
  PluginFolder() = default;
  // An empty `folder` means no plugins. Throws InputError for `--plugin-folder` if `folder` is not a folder,
  // or if a user other than root and this process's user owns or can write the folder or a plugin in it.
  explicit PluginFolder(const std::string& folder);

  bool given() const noexcept { return !folder_.empty(); }
  // The sorted names of all NAME.so with only letters, digits, _ and -. Leaves out symlinks to outside the
  // folder, files that are not regular, and files that other users own or can write. Loads nothing.
  std::vector<std::string> names() const;
  // The plugin's path without symlinks. Throws Error(io) with the reason if names() does not have the name.
  std::string path_of(const std::string& name) const;

 private:
  std::string folder_;  // without symlinks; empty: no plugins
};

class WorkloadCatalog {
 public:
  // Loads plugin files in a separate process, and returns the built-in and the plugins' workloads. Throws
  // InputError with the key `plugins` if a file does not load, and Error if the process does not answer.
  using Ask = std::function<std::vector<abi::WorkloadInfo>(const std::vector<std::string>& plugin_files)>;

  WorkloadCatalog() = default;  // refuses nothing
  WorkloadCatalog(std::vector<abi::WorkloadInfo> built_in, Ask ask);

  // Throws InputError, with the key and the known names, for an unknown name. `plugin_files` are the files
  // of the request's plugins, in the same order. Takes long if it must load plugins.
  void check(const SweepRequest& request, const std::vector<std::string>& plugin_files) const;

 private:
  std::vector<abi::WorkloadInfo> built_in_;
  Ask ask_;
};

}  // namespace graphbench::service
