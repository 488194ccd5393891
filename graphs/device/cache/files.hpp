// Reads, locks and atomically writes files of the cache's folder. Internal to graphs/device/cache.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "graphs/base/files.hpp"

namespace graphbench::cache {

struct FileText {
  std::optional<std::string> text;
  std::string error;  // empty if the file was read or does not exist
};
FileText read_file(const std::filesystem::path& path);

// At every moment, even after a power loss, `path` has its old content or all of `text`. The caller must
// hold the file's lock. Returns the error's message, or an empty string.
std::string write_file(const std::filesystem::path& path, const std::string& text);

// The file that write_file() writes before it renames it to `path`. A killed process leaves this file; the
// next write replaces it.
std::filesystem::path draft_of(const std::filesystem::path& path);
std::filesystem::path lock_of(const std::filesystem::path& path);

// A lock that a process holds while it makes the file `path`. The system releases it when the process ends.
class FileLock {
 public:
  enum class Wait : bool { no, yes };
  FileLock(const std::filesystem::path& path, Wait wait);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  bool held() const noexcept { return file_.get() >= 0; }
  int error() const noexcept { return error_; }  // the errno if the lock is not held

 private:
  std::filesystem::path path_;
  Descriptor file_;
  int error_ = 0;
};

}  // namespace graphbench::cache
