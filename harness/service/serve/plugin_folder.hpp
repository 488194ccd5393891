// The plugins that requests may name: those in one folder, by their bare names.
#pragma once

#include <string>
#include <vector>

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

}  // namespace graphbench::serve
