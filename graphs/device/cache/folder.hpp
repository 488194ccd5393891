// The cache's folder as a whole: its path, its entries, and which of them are removed.
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

// The variable that names the cache's folder, or "off". It also passes --cache on to child processes.
inline constexpr const char* folder_variable = "GRAPHBENCH_PLAN_CACHE";

// The folder that the variable names; if it is unset, graphbench/plans in XDG_CACHE_HOME or ~/.cache. Empty:
// nothing is kept.
std::filesystem::path folder_from_environment();

// A file of the cache.
struct KeptFile {
  std::filesystem::path path;
  std::uintmax_t bytes = 0;
  std::filesystem::file_time_type used;  // last found or made
};
// Least recently used first; other files are left out. Empty if there is no folder; throws
// Error(io) where it cannot be read.
std::vector<KeptFile> files_in(const std::filesystem::path& folder);

// Reads a file's entry. A file whose name does not fit its key is refused.
struct Content {
  std::string kind = {};  // "choices"
  // The facts of the entry's key, by name.
  std::vector<std::pair<std::string, std::string>> parts = {};
  std::optional<double> seconds = {};  // absent if it is refused
  std::string why_not = {};            // why it is refused; empty: it is sound
};
Content content_of(const std::filesystem::path& path);

struct Limits {
  // removes the least recently used until this many bytes are left
  std::optional<std::uintmax_t> bytes_max = {};
  std::optional<std::chrono::seconds> age_max = {};  // since the last use
  std::filesystem::path keep = {};                   // stays, whatever its size is
};
struct Removed {
  std::int64_t files = 0;
  std::uintmax_t bytes = 0;
};
Removed remove_unused(const std::filesystem::path& folder, const Limits& limits);

// Drafts and locks that killed processes left. Those in use stay.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace graphbench::cache
