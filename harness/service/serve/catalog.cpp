// Lists plugins and steps and checks workloads. Names of files come from the folder, never from a request;
// symlinks are resolved before the checks. The sweep's process makes the checks that need the device.
#include "harness/service/serve/catalog.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <utility>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/sweep/plan/make_plan.hpp"
#include "harness/sweep/plan/workload_choice.hpp"

namespace graphbench::service {
namespace {

namespace fs = std::filesystem;

bool is_name(const std::string& text) {
  static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  return !text.empty() && text.size() <= 64 && text.find_first_not_of(letters) == std::string::npos;
}

// True if only root and this user can write the file. A group counts as other users: its members may change.
bool is_ours_alone(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return false;
  const bool owned = status.st_uid == 0 || status.st_uid == geteuid();
  return owned && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

constexpr const char* not_ours_alone =
    " must belong to root or this user, and no other user may write to it: use chown and chmod go-w";

struct CodeTraits {
  const char* option;
  const char* noun;
  const char* suffix;
};

CodeTraits traits_of(CodeKind kind) {
  if (kind == CodeKind::step) return {"--torch-folder", "step", ".py"};
  return {"--plugin-folder", "plugin", ".so"};
}

// Replacing a file after this check gains nothing: who can write the folder decides already which code runs.
std::map<std::string, std::string> code_in(const std::string& folder, const std::string& suffix) {
  std::map<std::string, std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().stem();
    if (entry->path().extension() != suffix || !is_name(name)) continue;
    std::error_code gone;
    const fs::path path = fs::canonical(entry->path(), gone);
    if (gone || path.parent_path() != folder || !fs::is_regular_file(path, gone)) continue;
    found.emplace(name, path);
  }
  return found;
}

// Replaces plugins' paths by names, because clients must not learn where the service keeps its plugins.
std::string without_files(std::string message, const SweepRequest& request,
                          const std::vector<std::string>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t at = message.find(files[i]); at != std::string::npos; at = message.find(files[i], at)) {
      message.replace(at, files[i].size(), request.asked.plugins.at(i));
    }
  }
  return message;
}

}  // namespace

CodeFolder::CodeFolder(CodeKind kind, const std::string& folder) : kind_(kind) {
  if (folder.empty()) return;
  const CodeTraits traits = traits_of(kind);
  std::error_code error;
  folder_ = fs::canonical(folder, error);
  const fs::file_status status = fs::status(folder_, error);
  const std::string named = in_quotes(folder);
  if (folder_.empty() || status.type() != fs::file_type::directory) {
    throw InputError(traits.option,
                     named + " is not a folder: give a folder with NAME" + traits.suffix + " files");
  }
  if (!is_ours_alone(folder_)) throw InputError(traits.option, named + not_ours_alone);
  for (const auto& [name, path] : code_in(folder_, traits.suffix)) {
    if (!is_ours_alone(path)) throw InputError(traits.option, in_quotes(path) + not_ours_alone);
  }
}

std::map<std::string, std::string> CodeFolder::files() const {
  if (!given() || !is_ours_alone(folder_)) return {};
  std::map<std::string, std::string> files = code_in(folder_, traits_of(kind_).suffix);
  std::erase_if(files, [](const auto& file) { return !is_ours_alone(file.second); });
  return files;
}

std::vector<std::string> CodeFolder::names() const {
  std::vector<std::string> names;
  for (const auto& [name, path] : files()) names.push_back(name);
  return names;
}

std::string CodeFolder::path_of(const std::string& name) const {
  const CodeTraits traits = traits_of(kind_);
  const std::string noun = traits.noun;
  const std::map<std::string, std::string> code =
      given() ? code_in(folder_, traits.suffix) : std::map<std::string, std::string>();
  const auto found = code.find(name);
  const auto refuse = [&](const std::string& why) -> std::string {
    throw Error(ErrorCode::io, noun + " '" + name + "': " + why);
  };
  if (found == code.end()) return refuse("the " + noun + " is no longer in the " + noun + " folder");
  if (!is_ours_alone(folder_)) return refuse("its folder" + std::string(not_ours_alone));
  if (!is_ours_alone(found->second)) return refuse("its file" + std::string(not_ours_alone));
  return found->second;
}

std::vector<std::string> CodeFolder::step_functions() const {
  static const std::regex two_arguments(
      R"(def ([A-Za-z]\w*)\(\s*\w+[^,=()]*,\s*\w+[^,=()]*(,[^()]*=[^()]*)?\).*)");
  std::vector<std::string> found;
  for (const auto& [name, path] : files()) {
    std::ifstream file(path);
    std::smatch function;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("def ") && std::regex_match(line, function, two_arguments))
        found.push_back(name + ":" + function[1].str());
    }
  }
  return found;
}

WorkloadCatalog::WorkloadCatalog(std::vector<abi::WorkloadInfo> built_in, Ask ask)
    : built_in_(std::move(built_in)), ask_(std::move(ask)) {}

std::vector<std::string> WorkloadCatalog::built_in() const {
  std::vector<std::string> names;
  for (const abi::WorkloadInfo& workload : built_in_) names.push_back(workload.name);
  return names;
}

void WorkloadCatalog::check(const SweepRequest& request, const std::vector<std::string>& plugin_files) const {
  if (!ask_) return;
  sweep::Catalog catalog;
  catalog.workloads = built_in_;
  try {
    if (!plugin_files.empty()) catalog.workloads = ask_(plugin_files);
  } catch (const InputError& error) {
    throw InputError("", without_files(error.what(), request, plugin_files));
  }
  const options::SweepOptions& options = request.options;
  std::vector<model::Axes> grids = options.more_grids;
  grids.push_back(options.axes);
  // What a step is called, only its own process knows.
  const std::size_t workloads = options.torch.given() ? 1 : sweep::choose_workloads(options, catalog).size();
  for (model::Axes& grid : grids) {
    grid.workload.resize(workloads);
    grid.dtype.resize(std::max<std::size_t>(grid.dtype.size(), 1));
    grid.batch.resize(std::max<std::size_t>(grid.batch.size(), 1));
  }
  sweep::check_size(grids, options.launches, "");
}

}  // namespace graphbench::service
