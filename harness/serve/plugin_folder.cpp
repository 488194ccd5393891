// Names come from the folder, never from a request; links are resolved before anything is believed of them.
#include "harness/serve/plugin_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "harness/config/input_error.hpp"

namespace graphbench::serve {
namespace {

namespace fs = std::filesystem;

bool is_name(const std::string& text) {
  static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  return !text.empty() && text.size() <= 64 && text.find_first_not_of(letters) == std::string::npos;
}

// By name. Whoever may write to the folder decides what runs, so that nothing is won by swapping a file
// between this look and the loader's.
std::map<std::string, std::string> plugins_in(const std::string& folder) {
  std::map<std::string, std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().stem();
    if (entry->path().extension() != ".so" || !is_name(name)) continue;
    std::error_code gone;
    const fs::path path = fs::canonical(entry->path(), gone);
    if (gone || path.parent_path() != folder || !fs::is_regular_file(path, gone)) continue;
    found.emplace(name, path);
  }
  return found;
}

}  // namespace

PluginFolder::PluginFolder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  folder_ = fs::canonical(folder, error);
  const fs::file_status status = fs::status(folder_, error);
  const std::string named = config::in_quotes(folder);
  if (folder_.empty() || status.type() != fs::file_type::directory) {
    throw config::InputError("--plugin-folder", named + " is no folder: give one that holds NAME.so files");
  }
  if ((status.permissions() & fs::perms::others_write) != fs::perms::none) {
    throw config::InputError("--plugin-folder",
                             named + " can be written by anyone on this machine: chmod o-w it first");
  }
}

std::vector<std::string> PluginFolder::names() const {
  std::vector<std::string> names;
  if (!given()) return names;
  for (const auto& [name, path] : plugins_in(folder_)) names.push_back(name);
  return names;
}

std::optional<std::string> PluginFolder::path_of(const std::string& name) const {
  if (!given()) return std::nullopt;
  const std::map<std::string, std::string> plugins = plugins_in(folder_);
  const auto found = plugins.find(name);
  return found == plugins.end() ? std::nullopt : std::optional<std::string>(found->second);
}

}  // namespace graphbench::serve
