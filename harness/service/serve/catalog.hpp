// The names that requests may use: plugins and steps of a folder each, and workloads, presets and options.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "harness/service/serve/sweep_request.hpp"

namespace graphbench::service {

// A folder of code that requests may run: the only code that they may. Reads the folder at each call, so that
// files can be added while the service runs.
class CodeFolder {
 public:
  CodeFolder() = default;
  // An empty `folder` means none. Throws InputError for `--plugin-folder` or `--torch-folder` if `folder` is
  // not a folder, or if a user other than root and this process's user owns or can write the folder or code
  // in it.
  CodeFolder(CodeKind kind, const std::string& folder);

  bool given() const noexcept { return !folder_.empty(); }
  // By their names all NAME.so, or NAME.py, with only letters, digits, _ and -; the paths have no symlinks.
  // Leaves out symlinks to outside the folder, files that are not regular, and files that other users own or
  // can write. Loads nothing.
  std::map<std::string, std::string> files() const;
  std::vector<std::string> names() const;  // sorted
  // The file of a name. Throws Error(io) with the reason if files() does not have the name.
  std::string path_of(const std::string& name) const;
  // FILE:FUNCTION of each public function in a file of steps that takes two arguments, a batch and a device.
  // A function that is made in another way than by `def` is not seen.
  std::vector<std::string> step_functions() const;

 private:
  CodeKind kind_ = CodeKind::plugin;
  std::string folder_;  // without symlinks; empty: none
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
  std::vector<std::string> built_in() const;  // names

 private:
  std::vector<abi::WorkloadInfo> built_in_;
  Ask ask_;
};

}  // namespace graphbench::service
