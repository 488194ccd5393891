// Finds or makes an entry. Looks among the offered entries, in the folder, and in the folder again under the
// lock.
#include "graphs/device/cache/cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "graphs/device/cache/files.hpp"
#include "graphs/device/cache/folder.hpp"

namespace graphbench::cache {
namespace {

void say_unwritable(const std::filesystem::path& path, const std::string& why) {
  static bool said = false;
  if (std::exchange(said, true)) return;
  complain("cache: cannot write %s: %s; new entries are not kept", path.c_str(), why.c_str());
}

}  // namespace

Cache::Kept Cache::read(const Key& key) const {
  Kept kept{folder_ / file_name_of(key), {}};
  const FileText file = read_file(kept.path);
  if (!file.text) {
    if (!file.error.empty()) kept.reading.why_not = "the file cannot be read: " + file.error;
    return kept;
  }
  kept.bytes = file.text->size();
  kept.reading = decode(*file.text);
  if (kept.reading.entry && kept.reading.entry->key != key)
    kept.reading = {{}, "the entry belongs to another key"};
  return kept;
}

// Stores the last use as the modification time, because some mounts store no access times. If the cache is
// off, the path lacks the folder, so no file may be touched.
std::string Cache::take(const Kept& kept, double waited_seconds) {
  if (is_on()) static_cast<void>(utimensat(AT_FDCWD, kept.path.c_str(), nullptr, 0));
  if (found_.insert(kept.path).second) {
    ++use_.hits;
    use_.bytes += static_cast<std::int64_t>(kept.bytes);
    use_.seconds_saved += std::max(0.0, kept.reading.entry->seconds - waited_seconds);
  }
  entries_.insert_or_assign(file_name_of(kept.reading.entry->key), *kept.reading.entry);
  return kept.reading.entry->content;
}

std::optional<std::string> Cache::take_offered(const Key& key, const Check& check) {
  if (offered_.empty()) return std::nullopt;
  const auto found = offered_.find(file_name_of(key));
  if (found == offered_.end() || found->second.key != key || !check(found->second.content).empty())
    return std::nullopt;
  return take({folder_ / found->first, {found->second, {}}, found->second.content.size()}, {});
}

std::vector<Entry> Cache::entries() const {
  std::vector<Entry> all;
  for (const auto& [name, entry] : entries_) all.push_back(entry);
  return all;
}

void Cache::refuse(const std::filesystem::path& path, const std::string& why) {
  if (!refused_.insert(path).second) return;
  ++use_.refused;
  complain("cache: ignoring %s: %s; a new entry is made", path.c_str(), why.c_str());
}

std::optional<std::string> Cache::find(const Key& key) {
  if (auto offered = take_offered(key, [](const std::string&) { return std::string(); })) return offered;
  if (!is_on()) return std::nullopt;
  const Kept kept = read(key);
  if (kept.reading.entry) return take(kept, {});
  if (!kept.reading.why_not.empty()) refuse(kept.path, kept.reading.why_not);
  return std::nullopt;
}

std::optional<Cache::Found> Cache::find_or_make(const Key& key, const Check& check, const Make& make) {
  const auto made_now = [&]() -> std::optional<Found> {
    std::optional<std::string> made = make();
    if (!made) return std::nullopt;
    entries_.insert_or_assign(file_name_of(key), Entry{key, 0, *made});
    return Found{std::move(*made), false};
  };
  if (auto offered = take_offered(key, check)) return Found{std::move(*offered), true};
  if (!is_on()) return made_now();
  const auto usable = [&](const Kept& kept) {
    return kept.reading.entry && check(kept.reading.entry->content).empty();
  };
  if (const Kept kept = read(key); usable(kept)) return Found{take(kept, {}), true};

  const std::filesystem::path path = folder_ / file_name_of(key);
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  const Stopwatch asked;
  const FileLock lock(path, FileLock::Wait::yes);
  if (!lock.held())
    say_unwritable(error ? folder_ : path, error ? error.message() : std::strerror(lock.error()));
  if (const Kept kept = read(key); usable(kept)) {
    return Found{take(kept, asked.seconds()), true};
  } else if (kept.reading.entry || !kept.reading.why_not.empty()) {
    refuse(kept.path, kept.reading.entry ? check(kept.reading.entry->content) : kept.reading.why_not);
    if (lock.held()) std::filesystem::remove(kept.path, error);
  }
  const Stopwatch making;
  const double seconds_before = seconds_made_;
  std::optional<Found> found = made_now();
  if (!found) return std::nullopt;
  ++use_.misses;
  // Time that `make` spent on entries of other keys does not count.
  const double seconds = std::max(0.0, making.seconds() - (seconds_made_ - seconds_before));
  seconds_made_ += seconds;
  entries_.at(file_name_of(key)).seconds = seconds;
  if (lock.held()) store(path, {key, seconds, found->content});
  return found;
}

void Cache::store(const std::filesystem::path& path, const Entry& entry) {
  const std::string text = encode(entry);
  if (const std::string why = write_file(path, text); !why.empty()) return say_unwritable(path, why);
  use_.bytes += static_cast<std::int64_t>(text.size());
  try {
    remove_unused(folder_, {.bytes_max = bytes_max_, .keep = path});
  } catch (const Error& error) {
    say_unwritable(path, error.what());
  }
}

}  // namespace graphbench::cache
