// The cache's folder as a whole: its path, its entries, and the removal of entries.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graphs/device/cache/entry.hpp"

namespace graphbench::cache {

// The environment variable with the cache's folder or "off". It also passes --cache on to child processes.
inline constexpr const char* folder_variable = "GRAPHBENCH_PLAN_CACHE";

// The folder that the variable names; empty for "off": no entry is kept. If the variable is unset:
// graphbench/plans in XDG_CACHE_HOME or ~/.cache.
std::filesystem::path folder_from_environment();

struct KeptFile {
  std::filesystem::path path;
  std::uintmax_t bytes = 0;
  std::filesystem::file_time_type used;
};
// The files of the entries, least recently used first. Empty if the folder does not exist. Throws Error(io)
// if the folder cannot be read.
std::vector<KeptFile> files_in(const std::filesystem::path& folder);

struct Content {
  std::string kind = {};
  // The parts of the key: each part's name (key_parts) and value.
  std::vector<std::pair<std::string, std::string>> parts = {};
  std::optional<double> seconds = {};  // absent if the file is refused
  std::string why_not = {};            // why the file is refused; empty if it is sound
};
Content content_of(const std::filesystem::path& path);

struct Limits {
  std::optional<std::uintmax_t> bytes_max = {};      // the least recently used files go first
  std::optional<std::chrono::seconds> age_max = {};  // since the last use
  std::filesystem::path keep = {};
};
struct Removed {
  std::int64_t files = 0;
  std::uintmax_t bytes = 0;
};
Removed remove_unused(const std::filesystem::path& folder, const Limits& limits);

// Removes drafts and locks that killed processes left, but no file whose lock another process holds.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace graphbench::cache
