// Keeps choices that are slow to make in a folder that processes and machines may share. Files are
// content-addressed: a name is the digest of the key of the entry.
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

// One thread uses it at a time; any number of processes use its folder.
class Cache {
 public:
  static constexpr std::uintmax_t default_bytes_max = std::uintmax_t{1} << 30;

  // An empty folder: nothing is kept. The folder is made where something is to be made. Above `bytes_max` the
  // least recently used entries are removed.
  explicit Cache(std::filesystem::path folder, std::uintmax_t bytes_max = default_bytes_max)
      : folder_(std::move(folder)), bytes_max_(bytes_max) {}

  // Returns nothing if there is no sound entry. A file that is damaged, newer or for another key is refused,
  // with one line on stderr per file.
  std::optional<std::string> find(const Key& key);

  struct Found {
    std::string content;
    bool hit = false;  // true: an earlier process kept it; false: it was made now
  };
  // The reason why the kept entry cannot be used; empty if it can.
  using Check = std::function<std::string(const std::string& content)>;
  // Returns nothing if there is nothing to keep. It may use this cache for other keys, and may throw.
  using Make = std::function<std::optional<std::string>()>;
  // Returns the kept entry, or the result of `make`. One of several processes makes a key and the others wait
  // for it; if it is killed, the next one makes it. If the folder cannot be written, it says so once on
  // stderr and keeps nothing.
  std::optional<Found> find_or_make(const Key& key, const Check& check, const Make& make);

  // From now on this entry is found before the folder's, unless a check refuses it. Nothing is written for
  // it.
  void offer(const Entry& entry) { offered_.insert_or_assign(file_name_of(entry.key), entry); }
  // Every entry found or made so far, also where nothing is kept, in the order of their files' names.
  std::vector<Entry> entries() const;

  // The counts so far. All are zero if the cache is off.
  const facts::CacheUse& use() const noexcept { return use_; }
  bool is_on() const noexcept { return !folder_.empty(); }

 private:
  struct Kept {
    std::filesystem::path path;
    Reading reading;  // neither an entry nor a reason: there is no file
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
  double seconds_made_ = 0;  // time that making all entries here took
  std::set<std::filesystem::path> found_;
  std::set<std::filesystem::path> refused_;
  std::map<std::string, Entry> offered_;  // by file name
  std::map<std::string, Entry> entries_;  // likewise
};

}  // namespace graphbench::cache
