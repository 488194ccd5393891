// Defaults: a result's label from CI variables or git, and the path of the history file.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/judge/history/history.hpp"

namespace graphbench::judge {

struct FoundLabel {
  std::string commit;
  std::string branch;
  std::string source;  // "GitHub Actions", "git in the working folder"
};

// Returns the value of an environment variable; empty if it is not set.
using Environment = std::function<std::string(const char* name)>;
Environment process_environment();

// The label from the first CI system whose commit variable is set; absent if none is set. For a pull
// request, the branch is the one that it comes from.
std::optional<FoundLabel> label_from_ci(const Environment& environment);

// Reads HEAD in the working folder. Absent if git finds no commit. The branch is empty for a detached HEAD.
std::optional<FoundLabel> label_from_git();

// GRAPHBENCH_HISTORY, or graphbench/history.sqlite under XDG_DATA_HOME or ~/.local/share. Throws InputError
// if HOME is needed but not set.
std::string default_file(const Environment& environment);

// Makes the folders that contain `file`. Throws Error(io).
void make_folder_of(const std::string& file);

}  // namespace graphbench::judge
