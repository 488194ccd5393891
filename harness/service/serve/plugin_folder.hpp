// The plugins that requests may name: those in one folder, by their bare names.
#pragma once

#include <string>
#include <vector>

namespace graphbench::serve {

// Looked through anew at each question, so that a plugin may be added while the service runs. No part of a
// request becomes part of a path: what a request names is compared with what the folder holds.
class PluginFolder {
 public:
  PluginFolder() = default;  // no plugins
  // Empty: no plugins. Throws InputError for `--plugin-folder` where `folder` is none, or where
  // it or a plugin in it is owned or can be written by others than root and this process's user.
  explicit PluginFolder(const std::string& folder);

  bool given() const noexcept { return !folder_.empty(); }
  // NAME of each NAME.so, in order: letters, digits, _ and - alone. Links that leave the folder, and what is
  // no plain file, are left out, and so is what has become others' since. Nothing is loaded.
  std::vector<std::string> names() const;
  // Where a plugin lies, without links. Throws Error(io) with the reason where names() lacks it.
  std::string path_of(const std::string& name) const;

 private:
  std::string folder_;  // without links; empty: none
};

}  // namespace graphbench::serve
