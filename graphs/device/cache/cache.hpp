// Keeps choices that are slow to make in a folder that processes and machines may share. The name of a file
// is the digest of its entry's key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graphs/base/facts/cache.hpp"
#include "graphs/device/cache/entry.hpp"

namespace graphbench::cache {

// Only one thread may use a Cache at a time. Any number of processes may use its folder.
class Cache {
 public:
  static constexpr std::uintmax_t default_bytes_max = std::uintmax_t{1} << 30;

  // If `folder` is empty, nothing is kept. The folder is created when the first entry is made. If the entries
  // exceed `bytes_max`, the least recently used ones are removed.
  explicit Cache(std::filesystem::path folder, std::uintmax_t bytes_max = default_bytes_max)
      : folder_(std::move(folder)), bytes_max_(bytes_max) {}

  // Returns nothing if there is no sound entry. Refuses a file that is damaged, of another version or for
  // another key, and says so in one line on stderr per file.
  std::optional<std::string> find(const Key& key);

  struct Found {
    std::string content;
    bool hit = false;  // true: the entry was kept or offered; false: it was made now
  };
  // Returns the reason why the kept entry cannot be used, or an empty string.
  using Check = std::function<std::string(const std::string& content)>;
  // Returns nothing if there is nothing to keep. It may use this cache for other keys, and may throw.
  using Make = std::function<std::optional<std::string>()>;
  // Returns the kept entry, or the result of `make`. One process makes the entry while others that ask for
  // the key wait; if this process is killed, the next one makes it. If the folder cannot be written, one line
  // on stderr says so and nothing is kept.
  std::optional<Found> find_or_make(const Key& key, const Check& check, const Make& make);

  // Look-ups prefer this entry to the folder's, unless their check refuses it. Writes nothing to the folder.
  void offer(const Entry& entry) { offered_.insert_or_assign(file_name_of(entry.key), entry); }
  // Every entry found or made so far, even if the cache is off, in the order of file names.
  std::vector<Entry> entries() const;

  // The counts so far. All are zero if the cache is off.
  const facts::CacheUse& use() const noexcept { return use_; }
  bool is_on() const noexcept { return !folder_.empty(); }

 private:
  struct Kept {
    std::filesystem::path path;
    Reading reading;  // no entry and no reason: there is no file
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
  double seconds_made_ = 0;  // total time spent on making entries
  std::set<std::filesystem::path> found_;
  std::set<std::filesystem::path> refused_;
  std::map<std::string, Entry> offered_;  // by file name
  std::map<std::string, Entry> entries_;  // by file name
};

}  // namespace graphbench::cache
