// Chosen library plans, kept on disk between processes: one small text file a choice. What a file says
// is a suggestion: the caller compares it with what the library offers now.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace graphbench::cuda {

class PlanCache {
 public:
  // An empty folder: nothing is kept. The folder is made with the first choice.
  explicit PlanCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Nothing where there is no file. A file that is damaged, of another version or about another key is
  // refused with a line to stderr, one however often it is asked for. Keys and choices are single lines.
  std::optional<std::string> load(const std::string& key) const;

  // Writes the choice whole or not at all, and returns the one that stands: a process that wrote a sound
  // file first wins, so that all processes of a sweep use the same. Where it cannot be written, says so
  // once on stderr.
  std::string store(const std::string& key, const std::string& choice) const;

  // Removes a choice that the library no longer offers.
  void remove(const std::string& key) const;

  std::filesystem::path path_of(const std::string& key) const;

 private:
  std::optional<std::string> refuse(const std::filesystem::path& path, const char* why) const;

  std::filesystem::path folder_;
  mutable std::set<std::filesystem::path> refused_;
};

}  // namespace graphbench::cuda
