// Opens libraries by name and in folders, and keeps what the linker said where it said more than "not found".
#include "graphs/base/library_search.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "graphs/base/text.hpp"

namespace graphbench {
namespace {

std::vector<std::string> folders() {
  std::vector<std::string> all;
  const auto add = [&](const std::string& folder) {
    if (!contains(all, folder)) all.push_back(folder);
  };
  const auto add_named = [&](const char* variable, const std::string& below) {
    const char* const value = std::getenv(variable);
    for (const std::string& folder : split(value != nullptr ? value : "", ':'))
      if (!folder.empty()) add(folder + below);
  };
  add_named(library_folders_variable, "");
  for (const char* below : {"/lib64", "/extras/CUPTI/lib64"}) {
    add_named("CUDA_HOME", below);
    for (const char* toolkit : {"/usr/local/cuda", "/usr/local/cuda-13", "/usr/local/cuda-12"})
      add(std::string(toolkit) + below);
  }
  return all;
}

}  // namespace

FoundLibrary open_library(const std::string& file, LibrarySearch search) {
  if (void* const loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return {loaded, ""};
  if (search == LibrarySearch::loaded) return {nullptr, file + " is not loaded"};
  if (void* const opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return {opened, ""};
  const char* const by_name = dlerror();
  std::vector<std::string> tried = {"by the linker's rules"};
  std::string said =
      by_name != nullptr && std::string_view(by_name).find("No such file") == std::string_view::npos
          ? std::string("; ") + by_name
          : "";
  for (const std::string& folder : folders()) {
    const std::string path = folder + "/" + file;
    std::error_code error;
    if (std::filesystem::exists(path, error)) {
      if (void* const opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return {opened, ""};
      if (const char* const text = dlerror()) said += std::string("; ") + text;
    }
    tried.push_back("in " + folder);
  }
  return {nullptr, file + " cannot be opened: tried " + join(tried) + said};
}

}  // namespace graphbench
