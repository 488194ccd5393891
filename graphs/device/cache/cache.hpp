// What is slow to make and can be kept: found in a folder that processes and machines may share, or made once
// and kept there. Files are content-addressed: a name is the digest of what the entry is for.
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

  // Nothing where nothing sound is kept. A file that is damaged, newer or about another key is refused, with
  // a line to stderr for each file.
  std::optional<std::string> find(const Key& key);

  struct Found {
    std::string content;
    bool hit = false;  // it was kept; else it was made now
  };
  // Why what was kept cannot be used; empty: it can.
  using Check = std::function<std::string(const std::string& content)>;
  // Gives nothing where there is nothing to keep; may use this cache for other keys, and throw.
  using Make = std::function<std::optional<std::string>()>;
  // What is kept, or what `make` gives. Of many processes one makes a key and the others wait for it; if it
  // is killed, the next one makes it. Where the folder cannot be written, says so once on stderr, and keeps
  // nothing.
  std::optional<Found> find_or_make(const Key& key, const Check& check, const Make& make);

  // From here on the entry is found ahead of what the folder holds, unless a check refuses it. Nothing is
  // written for it.
  void offer(const Entry& entry) { offered_.insert_or_assign(file_name_of(entry.key), entry); }
  // Every entry found or made so far, also where nothing is kept, in the order of their files' names.
  std::vector<Entry> entries() const;

  // So far. All zero where nothing is kept.
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
  double seconds_made_ = 0;  // of all that was made here
  std::set<std::filesystem::path> found_;
  std::set<std::filesystem::path> refused_;
  std::map<std::string, Entry> offered_;  // by file name
  std::map<std::string, Entry> entries_;  // likewise
};

}  // namespace graphbench::cache
