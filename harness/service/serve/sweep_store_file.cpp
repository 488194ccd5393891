// Version 3 keeps one form of a cell, its document; before it a column `event`, and before version 2 the
// tables `kept` and `begun`, held more forms of the same.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/service/serve/sweep_store.hpp"

namespace graphbench::serve {
namespace {

constexpr const char* tables = R"(
CREATE TABLE IF NOT EXISTS sweeps (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, state TEXT NOT NULL,
  arguments TEXT NOT NULL, idempotency_key TEXT UNIQUE, submitted_at TEXT NOT NULL,
  started_at TEXT NOT NULL DEFAULT '', finished_at TEXT NOT NULL DEFAULT '', exit_code INTEGER,
  message TEXT NOT NULL DEFAULT '', result TEXT);
CREATE INDEX IF NOT EXISTS sweeps_by_state ON sweeps (state, number);
CREATE TABLE IF NOT EXISTS cells (
  number INTEGER PRIMARY KEY AUTOINCREMENT, sweep TEXT NOT NULL, cell TEXT NOT NULL, document TEXT NOT NULL,
  UNIQUE (sweep, cell));
CREATE INDEX IF NOT EXISTS cells_by_sweep ON cells (sweep, number);
DROP TABLE IF EXISTS kept;
DROP TABLE IF EXISTS begun;
)";

// SQLite gives the files beside it the mode of this one.
void make_private(const std::string& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) throw storage::StorageError(std::strerror(errno));
  close(descriptor);
}

// An older graphbench that opens the file again leaves the columns and takes the version back.
void add_column(storage::Connection& database, const std::string& table, const std::string& column) {
  const std::string sql = "SELECT 1 FROM pragma_table_info('" + table + "') WHERE name = '" + column + "'";
  if (database.prepare(sql).step()) return;
  database.run("ALTER TABLE " + table + " ADD COLUMN " + column + " TEXT NOT NULL DEFAULT ''");
}

void upgrade(storage::Connection& database) {
  storage::Transaction transaction(database);
  database.execute(tables);
  add_column(database, "sweeps", "began");
  database.run("PRAGMA user_version = " + std::to_string(sweep_store_version));
  transaction.commit();
}

}  // namespace

storage::Connection open_sweep_store(const std::string& file) {
  try {
    make_private(file);
    storage::Connection database(
        file, {.name = "the sweeps' database", .create = true, .busy_max = std::chrono::milliseconds(0)});
    // FULL: an accepted sweep survives the machine's end, not only the process's.
    // 256 KiB of pages: the kernel caches them as well, and 2 MiB that fill row by row look like a leak.
    database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -256");
    const std::int64_t version = database.integer_of("PRAGMA user_version");
    if (version > sweep_store_version) {
      throw storage::StorageError("a newer graphbench wrote it (version " + std::to_string(version) +
                                  "): use that one, or another --state");
    }
    if (version < sweep_store_version) upgrade(database);
    return database;
  } catch (const storage::StorageError& error) {
    throw Error(ErrorCode::io, "open the sweeps' database '" + file + "': " + error.what());
  }
}

}  // namespace graphbench::serve
