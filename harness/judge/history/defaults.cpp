// Finds labels and the default file. Runs git, because git handles worktrees, packed references and linked
// folders. Ignores a relative XDG_DATA_HOME, as the XDG rules say.
#include "harness/judge/history/defaults.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "graphs/base/error.hpp"
#include "graphs/base/process/process_supervisor.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::judge {

std::string default_file(const Environment& environment) {
  const std::string named = environment("GRAPHBENCH_HISTORY");
  if (!named.empty()) return named;
  std::filesystem::path data = environment("XDG_DATA_HOME");
  if (!data.is_absolute()) {
    const std::string home = environment("HOME");
    if (home.empty()) {
      throw InputError(
          "--history",
          "the default file is unknown, because HOME is not set: give a file, or set GRAPHBENCH_HISTORY");
    }
    data = std::filesystem::path(home) / ".local" / "share";
  }
  return data / "graphbench" / "history.sqlite";
}

void make_folder_of(const std::string& file) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(ErrorCode::io, "make folder " + folder.string() + ": " + error.message());
}

namespace {

struct CiSystem {
  const char* name;
  const char* commit;
  std::vector<const char*> branches;  // the first variable that is set gives the branch
};

const std::vector<CiSystem>& ci_systems() {
  static const std::vector<CiSystem> systems = {
      {"GitHub Actions", "GITHUB_SHA", {"GITHUB_HEAD_REF", "GITHUB_REF_NAME"}},
      {"GitLab CI",
       "CI_COMMIT_SHA",
       {"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_BRANCH", "CI_COMMIT_REF_NAME"}},
      {"Buildkite", "BUILDKITE_COMMIT", {"BUILDKITE_BRANCH"}},
      {"Jenkins", "GIT_COMMIT", {"CHANGE_BRANCH", "BRANCH_NAME"}},
  };
  return systems;
}

// The first line that git prints; absent if git fails or is missing.
std::optional<std::string> ask_git(process::ProcessSupervisor& supervisor,
                                   std::vector<std::string> arguments) {
  process::ChildCommand command;
  command.argv = {"/usr/bin/env", "git"};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.silent_seconds_max = 10;
  const process::ChildExit exit = supervisor.run(command, [](std::string_view) {});
  if (!exit.well()) return std::nullopt;
  const std::string line = exit.output.substr(0, exit.output.find('\n'));
  if (line.empty()) return std::nullopt;
  return line;
}

}  // namespace

Environment process_environment() {
  return [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
}

std::optional<FoundLabel> label_from_ci(const Environment& environment) {
  for (const CiSystem& system : ci_systems()) {
    FoundLabel found{environment(system.commit), "", system.name};
    if (found.commit.empty()) continue;
    for (const char* name : system.branches) {
      if (found.branch.empty()) found.branch = environment(name);
    }
    return found;
  }
  return std::nullopt;
}

std::optional<FoundLabel> label_from_git() {
  process::ProcessSupervisor supervisor;
  const auto commit = ask_git(supervisor, {"rev-parse", "--verify", "--quiet", "HEAD"});
  if (!commit) return std::nullopt;
  const auto branch = ask_git(supervisor, {"symbolic-ref", "--short", "--quiet", "HEAD"});
  return FoundLabel{*commit, branch.value_or(""), "git in the working folder"};
}

}  // namespace graphbench::judge
