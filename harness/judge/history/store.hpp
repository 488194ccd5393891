// The history: one SQLite file with result documents, and the launch medians of their cells in tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/sqlite.hpp"
#include "harness/judge/history/history.hpp"

namespace graphbench::judge {

struct LaunchMedians {
  std::string cell;
  model::Metric metric = model::Metric::latency;
  std::vector<double> seconds;  // one per launch
};

struct NewEntry {
  HistoryEntry entry;    // without its id
  std::string document;  // the text of the file
  std::vector<LaunchMedians> medians;
};

struct Added {
  std::int64_t id = 0;
  bool was_there = false;         // the history already had this text; only its label may have changed
  std::string label_before = {};  // of an entry that was there
};

// A connection to the file, for one thread. Several processes may use the file at once: writers take turns.
// Every call throws Error(io) if the file cannot be used.
class Store {
 public:
  enum class Access : std::uint8_t {
    existing,  // throws InputError if there is no history
    create,    // makes the file, not its folder
  };
  // Throws InputError for a damaged file or another kind of file, and does not change it.
  Store(const std::string& path, Access access);

  // Adds all entries, or none if this throws or the process dies. An entry that was there gets the label of
  // the new one, unless that is empty.
  std::vector<Added> add(const std::vector<NewEntry>& entries);

  // Removes all of these entries and returns them, or none: throws InputError, which begins with `where`, for
  // an entry that the history does not have. Ids are not given again.
  std::vector<HistoryEntry> remove(const std::vector<std::int64_t>& ids, const std::string& where);

  // The entries by time of measurement, oldest first; if `branch` is not empty, only those of this branch.
  std::vector<HistoryEntry> list(const std::string& branch = "");
  // The text of the document. Throws InputError if the file is damaged.
  std::string document(std::int64_t id);
  std::vector<std::string> cells();
  // A cell's points, oldest first.
  std::vector<HistoryPoint> points(const std::string& cell, model::Metric metric);

 private:
  Added add_one(const NewEntry& entry);
  std::int64_t insert_entry(const NewEntry& entry, const std::string& digest);
  void insert_medians(std::int64_t id, const std::vector<LaunchMedians>& medians);
  void create_tables();
  void check_whole();

  std::string path_;
  SqlConnection connection_;
};

// "gbHi", in the field application_id of SQLite's header.
inline constexpr std::int64_t application_id = 0x67624869;
// The version increases when older versions of graphbench cannot read the tables.
inline constexpr std::int64_t schema_version = 1;

enum class FileState : std::uint8_t {
  absent,  // no file, or an empty file: a killed writer may leave one
  ours,
};

// Reads the first 100 bytes. Throws InputError if the file cannot be read, is not a SQLite file, belongs to
// another program, or has another schema version.
FileState inspect_file(const std::string& path);

// pack() compresses a text, and throws Error(internal) if zlib fails. unpack() restores the text, and throws
// Error(io) if it is damaged or not `bytes` long.
std::string pack(std::string_view text);
std::string unpack(std::string_view packed, std::int64_t bytes);

}  // namespace graphbench::judge
