// Reads whole files up to a size limit, because a name may belong to an endless device or pipe, and writes
// files so that a reader sees either the old file or the complete new one.
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

// Returns the part that was not written; errno has the reason. Empty if everything was written.
std::string_view write_all(int descriptor, std::string_view text) noexcept;

struct WholeFile {
  std::string text;
  // Why the text is incomplete: "cannot be read: No such file or directory". Empty if the text is complete.
  std::string why_not;
  int error = 0;  // errno of the failed call; 0 if no call failed
};

// Reads a regular file, or a pipe that has a writer, such as `<(command)`. Never waits for a writer.
WholeFile read_whole_file(const std::string& path, std::size_t bytes_max);

// Writes a temporary file in the same folder, syncs it and renames it over `path`. Follows a symlink. Writes
// directly to a `path` that is neither a file nor a folder (/dev/null, a pipe). On failure, removes the
// temporary file, leaves an old file at `path` unchanged, and throws std::system_error, whose what() is one
// line with the path, the failed operation and the cause.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

// Writes a text part by part, so that memory never holds the whole text.
using WriteParts = std::function<void(const std::function<void(std::string_view)>& write)>;
void write_file_atomically(const std::filesystem::path& path, const WriteParts& parts);

// Uses `draft` as the temporary file, and overwrites a file that a killed process left there. Replaces a
// symlink at `path`. The caller must hold a lock on `path`.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents,
                           const std::filesystem::path& draft);

// Throws what write_file_atomically() would throw at its start: the folder is missing or read-only, or
// `path` is a folder or a pipe without a reader. Leaves no file behind. Keeps a pipe open until this process
// ends, so that its reader waits for the text.
void check_writable(const std::filesystem::path& path);

}  // namespace graphbench
