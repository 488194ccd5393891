// Files: descriptors with one owner each; reading whole files, with a limit, because any name may be a device
// or a pipe; and writing so that a reader sees either the old file or the whole new one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace graphbench {

// A file descriptor with one owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const noexcept { return value_; }
  int release() noexcept { return std::exchange(value_, -1); }

 private:
  int value_ = -1;
};

// Returns the part that could not be written, for the reason in errno; empty if all was written.
std::string_view write_all(int descriptor, std::string_view text) noexcept;

struct WholeFile {
  std::string text;
  // why the text is incomplete: "cannot be read: No such file or directory"; empty if it is complete
  std::string why_not;
  int error = 0;  // the errno of a call that failed
};

// A pipe is read where it has a writer (`<(command)`), and no writer is waited for.
WholeFile read_whole_file(const std::string& path, std::size_t bytes_max);

// Writes a temporary file in the same folder, syncs it and renames it over `path`. On failure the temporary
// file is removed, a file that stood at `path` is as it was, and std::system_error is thrown whose what() is
// one line naming the path, the step and the cause. A symbolic link is followed. A path that is neither a
// file nor a folder (/dev/null, a pipe) is written to directly.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

// Writes a text that is made part by part, and is never in memory as a whole.
using WriteParts = std::function<void(const std::function<void(std::string_view)>& write)>;
void write_file_atomically(const std::filesystem::path& path, const WriteParts& parts);

// For a caller that holds a lock on `path`. A leftover of a killed process at `draft` is overwritten, and a
// link at `path` is replaced.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents,
                           const std::filesystem::path& draft);

// Throws as above if write_file_atomically could not begin: the folder is missing or takes no files, or
// `path` is a folder or a pipe without a reader. It leaves nothing behind. A pipe stays open, so that its
// reader waits for the text.
void check_writable(const std::filesystem::path& path);

}  // namespace graphbench
