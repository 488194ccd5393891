// Keeps choices that were slow to make, in a folder that processes and machines may share. A file's name is
// the digest of the key of the file's entry.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graphs/base/facts/device.hpp"
#include "graphs/device/cache/entry.hpp"

namespace graphbench::cache {

// Only one thread may use a Cache at a time. Any number of processes may use its folder.
class Cache {
 public:
  static constexpr std::uintmax_t default_bytes_max = std::uintmax_t{1} << 30;

  // If `folder` is empty, the cache is off: it keeps no files. Else the first entry creates the folder.
  // Above `bytes_max`, the least recently used entries are removed.
  explicit Cache(std::filesystem::path folder, std::uintmax_t bytes_max = default_bytes_max)
      : folder_(std::move(folder)), bytes_max_(bytes_max) {}

  // Returns nothing if there is no valid entry. Ignores a file that is damaged, of another version or for
  // another key, with one line per such file on stderr.
  std::optional<std::string> find(const Key& key);

  struct Found {
    std::string content;
    bool hit = false;  // true: the entry was kept or offered; false: `make` made it now
  };
  // Returns the reason why the kept entry cannot be used, or an empty string.
  using Check = std::function<std::string(const std::string& content)>;
  // Returns nothing if no content is to be kept. May throw, and use this cache recursively.
  using Make = std::function<std::optional<std::string>()>;
  // Returns a kept or offered entry that `check` accepts, else the result of `make`. While one process makes
  // the entry, others that need the key wait; if that process is killed, the next one makes the entry. If the
  // folder cannot be written, prints one line on stderr and keeps nothing.
  std::optional<Found> find_or_make(const Key& key, const Check& check, const Make& make);

  // Later look-ups prefer `entry` to the folder's entry, unless their check refuses `entry`. Writes no file.
  void offer(const Entry& entry) { offered_.insert_or_assign(file_name_of(entry.key), entry); }
  // Every entry found or made so far, even if the cache is off, in the order of file names.
  std::vector<Entry> entries() const;

  // The counts so far. If the cache is off, they count only uses of offered entries.
  const facts::CacheUse& use() const noexcept { return use_; }
  bool is_on() const noexcept { return !folder_.empty(); }

 private:
  struct Kept {
    std::filesystem::path path;
    Reading reading;  // without entry and reason if the file does not exist
    std::size_t bytes = 0;
  };
  Kept read(const Key& key) const;
  std::string take(const Kept& kept, double waited_seconds);
  std::optional<std::string> take_offered(const Key& key, const Check& check);
  void refuse(const std::filesystem::path& path, const std::string& why);
  void store(const std::filesystem::path& path, const Entry& entry);

  std::filesystem::path folder_;
  std::uintmax_t bytes_max_;
  facts::CacheUse use_{};
  double seconds_made_ = 0;
  std::set<std::filesystem::path> found_;
  std::set<std::filesystem::path> refused_;
  std::map<std::string, Entry> offered_;  // by file name
  std::map<std::string, Entry> entries_;  // by file name
};

}  // namespace graphbench::cache
