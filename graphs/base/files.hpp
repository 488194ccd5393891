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

// Returns the part that was not written; errno has the reason.
std::string_view write_all(int descriptor, std::string_view text) noexcept;

struct WholeFile {
  std::string text;
  std::string why_not;  // "cannot be read: No such file or directory"; empty if the text is complete
  int error = 0;        // errno of the failed call; 0 if no call failed
};

// Reads a regular file, or a pipe that has a writer, such as `<(command)`. Never waits for a writer.
WholeFile read_whole_file(const std::string& path, std::size_t bytes_max);

// Syncs a temporary file in the same folder and renames it over `path`. Follows a symlink. Keeps the
// permissions of a file that is there. Writes directly
// to a `path` that is neither a file nor a folder (/dev/null, a pipe). On failure, keeps an old file,
// removes the temporary one, and throws std::system_error, in one line: the path, the failed operation and
// the cause.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

// Writes a text part by part, so that memory never holds the whole text.
using WriteParts = std::function<void(const std::function<void(std::string_view)>& write)>;
void write_file_atomically(const std::filesystem::path& path, const WriteParts& parts);

// Uses `draft` as the temporary file, and overwrites a file that a killed process left there. Replaces a
// symlink at `path`. The caller must hold a lock on `path`.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents,
                           const std::filesystem::path& draft);

// Removes the temporary files for `path` that killed processes left.
void remove_leftovers_of(const std::filesystem::path& path);

// Throws at once what write_file_atomically() would: the folder is missing or read-only, or `path` is a
// folder or a pipe without a reader. Keeps a pipe open until this process ends, so its reader waits.
void check_writable(const std::filesystem::path& path);

// The folder `graphbench` beside the library that holds this function: what is loaded at run time. In a
// process of PyTorch it is not beside the process's binary.
std::string own_directory();

// The folder of CUDA's modules and of Python files: $GRAPHBENCH_MODULE_DIR, else own_directory().
std::string module_directory();

}  // namespace graphbench
