// Files of the cache's folder: read whole, written whole or not at all, locked. Internal to
// graphs/device/cache.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "graphs/base/files.hpp"

namespace graphbench::cache {

struct FileText {
  std::optional<std::string> text;  // absent: there is no such file, or it cannot be read
  std::string error;                // empty if there is none
};
FileText read_file(const std::filesystem::path& path);

// Writes a draft beside the file and renames it. So at every moment, also after a loss of power, `path` has
// its old content or all of `text`. The caller holds the file's lock. Returns the operation that failed, or
// nothing.
std::string write_file(const std::filesystem::path& path, const std::string& text);

// The path that write_file() writes to first. A process that is killed leaves it; the next one writes over
// it.
std::filesystem::path draft_of(const std::filesystem::path& path);
std::filesystem::path lock_of(const std::filesystem::path& path);

// A lock that the process holds that makes the file `path`. The system releases it when that process ends for
// any reason.
class FileLock {
 public:
  enum class Wait : bool { no, yes };
  // With Wait::yes the calling thread stands still until the holder releases it.
  FileLock(const std::filesystem::path& path, Wait wait);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  bool held() const noexcept { return file_.get() >= 0; }
  int error() const noexcept { return error_; }  // an errno, where it is not held

 private:
  std::filesystem::path path_;
  Descriptor file_;
  int error_ = 0;
};

}  // namespace graphbench::cache
