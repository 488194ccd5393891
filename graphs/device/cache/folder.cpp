// Lists and cleans the cache's folder. Touches only files that end in .entry, .draft and .lock.
#include "graphs/device/cache/folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <tuple>

#include "graphs/base/error.hpp"
#include "graphs/device/cache/files.hpp"

namespace graphbench::cache {
namespace {

namespace fs = std::filesystem;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// Other processes may add and remove files during the listing.
std::vector<fs::path> paths_in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    paths.push_back(at->path());
  if (error && error != std::errc::no_such_file_or_directory)
    throw Error(ErrorCode::io, "read the cache's folder " + folder.string() + ": " + error.message());
  return paths;
}

}  // namespace

fs::path folder_from_environment() {
  const std::string_view folder = environment(folder_variable);
  if (folder == "off") return {};
  if (!folder.empty()) return folder;
  const fs::path below = fs::path("graphbench") / "plans";
  if (const std::string_view cache = environment("XDG_CACHE_HOME"); !cache.empty()) return cache / below;
  const std::string_view home = environment("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache" / below;
}

std::vector<KeptFile> files_in(const fs::path& folder) {
  std::vector<KeptFile> files;
  for (const fs::path& path : paths_in(folder)) {
    if (path.extension() != ".entry") continue;
    std::error_code error;
    KeptFile file{path, fs::file_size(path, error), {}};
    if (!error) file.used = fs::last_write_time(path, error);
    if (error == std::errc::no_such_file_or_directory) continue;
    if (error) file.bytes = 0;  // not a regular file; content_of() reports that
    files.push_back(std::move(file));
  }
  std::ranges::sort(files, {}, [](const KeptFile& file) { return std::tie(file.used, file.path); });
  return files;
}

Content content_of(const fs::path& path) {
  const FileText file = read_file(path);
  if (!file.text)
    return {.why_not =
                file.error.empty() ? "the file no longer exists" : "the file cannot be read: " + file.error};
  const Reading reading = decode(*file.text);
  if (!reading.entry) return {.why_not = reading.why_not};
  const Key& key = reading.entry->key;
  if (file_name_of(key) != path.filename()) return {.why_not = "the file's name does not match its key"};
  Content content{.kind = std::string(kind_name), .seconds = reading.entry->seconds};
  for (std::size_t i = 0; i < key.values.size(); ++i) content.parts.emplace_back(key_parts[i], key.values[i]);
  return content;
}

Removed remove_unused(const fs::path& folder, const Limits& limits) {
  const std::vector<KeptFile> files = files_in(folder);
  std::uintmax_t left = 0;
  for (const KeptFile& file : files) left += file.bytes;
  const auto now = fs::file_time_type::clock::now();
  Removed removed;
  for (const KeptFile& file : files) {
    const bool too_much = limits.bytes_max && left > *limits.bytes_max;
    const bool too_old = limits.age_max && now - file.used > *limits.age_max;
    std::error_code error;
    if (file.path == limits.keep || (!too_much && !too_old) || !fs::remove(file.path, error)) continue;
    left -= file.bytes;
    ++removed.files;
    removed.bytes += file.bytes;
  }
  return removed;
}

void remove_leftovers(const fs::path& folder) {
  for (const fs::path& path : paths_in(folder)) {
    if (path.extension() != ".draft" && path.extension() != ".lock") continue;
    const fs::path entry = path.parent_path() / path.stem();
    if (entry.extension() != ".entry") continue;
    const FileLock lock(entry, FileLock::Wait::no);  // a lock that is held removes its file in the end
    std::error_code error;
    if (lock.held()) fs::remove(draft_of(entry), error);
  }
}

}  // namespace graphbench::cache
