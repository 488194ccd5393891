// The history: result documents in one SQLite file, with the launch medians of their cells in tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/sqlite.hpp"
#include "harness/judge/history/history.hpp"

namespace graphbench::history {

struct LaunchMedians {
  std::string cell;
  model::Metric metric = model::Metric::latency;
  std::vector<double> seconds;  // one per launch
};

// The facts that are stored about one document.
struct NewEntry {
  model::HistoryEntry entry;  // without its id
  std::string document;       // the whole text, as it was read
  std::vector<LaunchMedians> medians;
};

struct Added {
  std::int64_t id = 0;
  bool was_there = false;  // the same text exists, so nothing was changed
};

// One connection, one thread. Several processes may use a file at once: each adds in one transaction
// and waits for the others. Every call throws Error(io) if the file cannot be used.
class Store {
 public:
  enum class Access : std::uint8_t {
    existing,  // throws InputError if there is no history
    create,    // makes the file, not its folder
  };
  // Throws InputError for a file that is not an undamaged history, and leaves it unchanged.
  Store(const std::string& path, Access access);

  // Adds all of them, or none if this throws or the process dies.
  std::vector<Added> add(const std::vector<NewEntry>& entries);

  // Lists the oldest measurement first; only those of `branch` where one is given.
  std::vector<model::HistoryEntry> list(const std::string& branch = "");
  // The text that was added. Throws InputError if the file was damaged since.
  std::string document(std::int64_t id);
  bool knows_cell(const std::string& cell);
  // Names of known cells, for messages.
  std::vector<std::string> cells();
  // A cell's points, oldest first.
  std::vector<model::HistoryPoint> points(const std::string& cell, model::Metric metric);
  // The entry that holds exactly this text.
  std::optional<std::int64_t> find(const std::string& document);

 private:
  Added add_one(const NewEntry& entry);
  std::int64_t insert_entry(const NewEntry& entry, const std::string& digest);
  void insert_medians(std::int64_t id, const std::vector<LaunchMedians>& medians);
  void create_tables();
  void check_whole();

  std::string path_;
  storage::Connection connection_;
};

// "gbHi", in the header field that SQLite keeps for naming a file's owner.
inline constexpr std::int64_t application_id = 0x67624869;
// The version rises when the tables change in a way that an older graphbench cannot read.
inline constexpr std::int64_t schema_version = 1;

enum class FileState : std::uint8_t {
  absent,  // no file, or an empty one, as a writer that was killed at once leaves it
  ours,
};

// Reads the first 100 bytes, writes nothing. Throws InputError for a file that is not a history: it is not a
// SQLite file, belongs to another program, was made by a newer graphbench, or cannot be read.
FileState inspect_file(const std::string& path);

// Throw Error: internal where zlib fails, io where the bytes are not what `pack` made of `bytes` bytes.
std::string pack(std::string_view text);
std::string unpack(std::string_view packed, std::int64_t bytes);

}  // namespace graphbench::history
