// Writes result files so that a reader sees either the old file or the whole new one, and finds out
// before a sweep starts that its file cannot be written.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace graphbench::reporters {

// Writes a temporary file in the same folder, syncs it and renames it over `path`. On failure the
// temporary file is removed, a file that stood at `path` is as it was, and std::system_error is thrown
// whose what() is one line naming the path, the step and the cause. A symbolic link is followed. What
// is neither a file nor a folder (/dev/null, a pipe) is written straight into.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

// The same of a text that is made part by part, and never in memory as a whole.
using WriteParts = std::function<void(const std::function<void(std::string_view)>& write)>;
void write_file_atomically(const std::filesystem::path& path, const WriteParts& parts);

// The same by a caller that holds a lock on `path`: what a killed process left at `draft`, beside it, is
// written over. A link at `path` is replaced.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents,
                           const std::filesystem::path& draft);

// Throws as above where write_file_atomically could not begin: the folder is missing or takes no
// files, `path` is a folder or a pipe without a reader. Leaves nothing behind; a pipe stays open, so that
// its reader waits for what is written.
void check_writable(const std::filesystem::path& path);

}  // namespace graphbench::reporters
