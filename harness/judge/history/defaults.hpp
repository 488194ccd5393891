// Defaults: a result's label, from CI's variables, else from git; and the file of the history.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/judge/history/history.hpp"

namespace graphbench::history {

struct FoundLabel {
  std::string commit;
  std::string branch;
  std::string source;  // "GitHub Actions", "git in the working folder"; empty: nothing was found
};

// Reads an environment variable; absent and empty are the same.
using Environment = std::function<std::string(const char* name)>;
Environment process_environment();

// The first CI system whose commit variable is set: GitHub Actions, GitLab CI, Buildkite, Jenkins. The branch
// of a pull request is the one to be merged.
std::optional<FoundLabel> label_from_ci(const Environment& environment);

// HEAD of the repository that the working folder is in; absent without a commit. Detached, it has no branch.
std::optional<FoundLabel> label_from_git();

// GRAPHBENCH_HISTORY, else graphbench/history.sqlite under XDG_DATA_HOME or ~/.local/share. Throws
// InputError where none of these is set.
std::string default_file(const Environment& environment);

// Makes the folders of the default file. Throws Error(io).
void make_folder_of(const std::string& file);

}  // namespace graphbench::history
