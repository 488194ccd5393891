// Keeps sweeps in a SQLite file. Prepares statements for each call, which costs little compared to a sweep.
#include "harness/service/serve/sweep_store.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "graphs/base/clock.hpp"
#include "graphs/base/files.hpp"
#include "harness/model/codec/json_walk.hpp"

namespace graphbench::service {
namespace {

constexpr std::array<const char*, 6> state_names = {"queued", "running",   "done",
                                                    "failed", "cancelled", "interrupted"};

constexpr std::chrono::seconds probe_period{1};
// More pages than a usual sweep's row changes.
constexpr int probe_bytes = 32 * 1024;

constexpr const char* ended_only = "state NOT IN ('queued', 'running')";

std::string select_sweeps(const std::string& which) {
  return "SELECT id, state, arguments, submitted_at, started_at, finished_at, exit_code, message, plugins, "
         "result IS NOT NULL AND " +
         std::string(ended_only) + " FROM sweeps " + which;
}

std::string new_id() {
  static constexpr std::string_view hex = "0123456789abcdef";
  std::array<unsigned char, 8> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error(ErrorCode::io, "name a sweep: the system gave no random bytes");
  }
  std::string id;
  for (const unsigned char byte : bytes) id += {hex[byte >> 4], hex[byte & 15]};
  return id;
}

std::optional<int> exit_code_of(const SqlStatement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return static_cast<int>(row.integer(column));
}

std::vector<std::string> texts_of(const std::string& list) {
  return nlohmann::json::parse(list).get<std::vector<std::string>>();
}

// Returns the document unchanged. Damage that leaves JSON is found by readers of results alone: the store
// takes documents of every version.
std::string checked(std::string document, const std::string& sweep, const std::string& what) {
  try {
    model::JsonWalk walk(what);
    walk.document(document, [&](std::string_view, model::JsonWalk::Value value) { walk.skip(value); });
  } catch (const InputError& error) {
    throw DamagedDocument(sweep, error.what());
  }
  return document;
}

// A damaged row becomes a failed sweep, so that the other sweeps can still be listed.
StoredSweep sweep_of(const SqlStatement& row) {
  StoredSweep sweep;
  sweep.id = row.text(0);
  sweep.submitted_at = row.text(3);
  sweep.started_at = row.text(4);
  sweep.finished_at = row.text(5);
  sweep.exit_code = exit_code_of(row, 6);
  sweep.message = row.text(7);
  sweep.has_results = row.integer(9) != 0;
  const auto* const state = std::ranges::find(state_names, row.text(1));
  try {
    if (state == state_names.end()) throw SqlError("the sweep's state is unknown");
    sweep.state = static_cast<SweepState>(state - state_names.begin());
    sweep.asked.options = texts_of(row.text(2));
    sweep.asked.plugins = texts_of(row.text(8));
  } catch (const std::exception& error) {
    sweep.state = SweepState::failed;
    sweep.message = std::string("the stored record of this sweep cannot be read: ") + error.what();
  }
  return sweep;
}

// Must increase with each change of the tables that an older graphbench cannot read.
constexpr int sweep_store_version = 4;

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

// Creates the file with mode 0600, which SQLite also gives to its other files.
void make_private(const std::string& file) {
  const Descriptor made(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (made.get() < 0) throw SqlError(std::strerror(errno));
}

// Adds a column unless it exists: an older graphbench may have lowered the version and kept the column.
void add_column(SqlConnection& database, const std::string& column, const std::string& value) {
  const std::string sql = "SELECT 1 FROM pragma_table_info('sweeps') WHERE name = '" + column + "'";
  if (database.prepare(sql).step()) return;
  database.run("ALTER TABLE sweeps ADD COLUMN " + column + " TEXT NOT NULL DEFAULT '" + value + "'");
}

void upgrade(SqlConnection& database) {
  SqlTransaction transaction(database);
  database.execute(tables);
  add_column(database, "began", "");
  add_column(database, "plugins", "[]");
  database.run("PRAGMA user_version = " + std::to_string(sweep_store_version));
  transaction.commit();
}

// Creates the file, if it does not exist, for this user only, and upgrades tables of an older version. Throws
// Error(io), which names the file, if the file is unusable or a newer version wrote it.
SqlConnection open_sweep_store(const std::string& file) {
  try {
    make_private(file);
    SqlConnection database(
        file, {.name = "the sweeps' database", .create = true, .busy_max = std::chrono::milliseconds(0)});
    if (const std::string finding = database.text_of("PRAGMA quick_check(1)"); finding != "ok")
      throw SqlDamageError("the database is damaged (" + finding +
                           "): restore a copy, or give another --state folder");
    // FULL: an accepted sweep survives a power failure, not only a crash of the process. SQLite's cache has
    // 256 KiB, because the kernel caches pages too. The default 2 MiB fills slowly, which looks like a leak.
    database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -256");
    const std::int64_t version = database.integer_of("PRAGMA user_version");
    if (version > sweep_store_version) {
      throw SqlError("a newer graphbench wrote it (version " + std::to_string(version) +
                     "): use that graphbench, or another --state folder");
    }
    if (version < sweep_store_version) upgrade(database);
    return database;
  } catch (const SqlError& error) {
    throw Error(ErrorCode::io, "open the sweeps' database '" + file + "': " + error.what());
  }
}

}  // namespace

const char* name_of(SweepState state) {
  return state_names[static_cast<std::size_t>(state)];
}

std::size_t document_bytes(const std::vector<StoredCell>& cells) {
  std::size_t bytes = 0;
  for (const StoredCell& cell : cells) bytes += cell.document.size();
  return bytes;
}

SweepStore::SweepStore(const std::string& file) : database_(open_sweep_store(file)) {
  database_.run(
      "UPDATE sweeps SET state = 'interrupted', finished_at = ?, message = ? WHERE state = 'running'",
      utc_now(), "the service ended while this sweep ran");
}

SweepStore::Added SweepStore::add(const AskedSweep& asked, const std::string& key, std::size_t queued_max) {
  const std::scoped_lock lock(mutex_);
  if (!key.empty()) {
    SqlStatement known = database_.prepare(select_sweeps("WHERE idempotency_key = ?"), key);
    if (known.step()) {
      const StoredSweep sweep = sweep_of(known);
      return {Added::What::known, sweep, sweep.asked == asked};
    }
  }
  if (count_queued() >= queued_max) return {Added::What::full, {}, true};
  StoredSweep sweep;
  sweep.id = new_id();
  sweep.asked = asked;
  sweep.submitted_at = utc_now();
  const auto unique_key = key.empty() ? std::nullopt : std::optional(key);
  write([&] {
    database_.run(
        "INSERT INTO sweeps (id, state, arguments, plugins, idempotency_key, submitted_at)"
        " VALUES (?, 'queued', ?, ?, ?, ?)",
        sweep.id, nlohmann::json(asked.options).dump(), nlohmann::json(asked.plugins).dump(), unique_key,
        sweep.submitted_at);
  });
  return {Added::What::added, std::move(sweep), true};
}

std::optional<StoredSweep> SweepStore::find(const std::string& id) const {
  const std::scoped_lock lock(mutex_);
  SqlStatement row = database_.prepare(select_sweeps("WHERE id = ?"), id);
  if (!row.step()) return std::nullopt;
  return sweep_of(row);
}

std::vector<StoredSweep> SweepStore::list(std::size_t limit, const std::optional<std::string>& after) const {
  const std::scoped_lock lock(mutex_);
  SqlStatement rows =
      database_.prepare(select_sweeps("WHERE ?1 IS NULL OR number < (SELECT number FROM sweeps WHERE id = ?1)"
                                      " ORDER BY number DESC LIMIT ?2"),
                        after, static_cast<std::int64_t>(limit));
  std::vector<StoredSweep> sweeps;
  while (rows.step()) sweeps.push_back(sweep_of(rows));
  return sweeps;
}

std::size_t SweepStore::queued() const {
  const std::scoped_lock lock(mutex_);
  return count_queued();
}

std::optional<std::string> SweepStore::result(const std::string& id) const {
  const std::scoped_lock lock(mutex_);
  SqlStatement row =
      database_.prepare(std::string("SELECT result FROM sweeps WHERE id = ? AND ") + ended_only, id);
  if (!row.step() || row.is_null(0)) return std::nullopt;
  return checked(row.text(0), id, "results");
}

// Replaces a row that belongs to no sweep, and commits: a write that is rolled back would not detect a full
// disk, and neither would one that needs less room than a sweep's row with its indexes.
void SweepStore::probe() {
  const std::scoped_lock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (!probed_ || now - *probed_ >= probe_period) {
    probed_ = now;
    probe_error_.clear();
    try {
      write([this] {
        database_.run(
            "INSERT OR REPLACE INTO cells (sweep, cell, document) VALUES ('', 'probe', hex(randomblob(?)))",
            probe_bytes / 2);
      });
    } catch (const SqlError& error) {
      probe_error_ = error.what();
    }
  }
  if (!probe_error_.empty()) throw SqlError(probe_error_);
}

std::optional<StoredSweep> SweepStore::take() {
  const std::scoped_lock lock(mutex_);
  std::optional<StoredSweep> taken;
  write([&] {
    while (!taken) {
      SqlStatement oldest =
          database_.prepare(select_sweeps("WHERE state = 'queued' ORDER BY number LIMIT 1"));
      if (!oldest.step()) return;
      StoredSweep sweep = sweep_of(oldest);
      const std::string now = utc_now();
      if (sweep.state == SweepState::queued) {
        sweep.state = SweepState::running;
        sweep.started_at = now;
        taken = sweep;
      } else {
        sweep.finished_at = now;
      }
      database_.run(
          "UPDATE sweeps SET state = ?, started_at = ?, finished_at = ?, message = ?, result = NULL, "
          "began = '' WHERE id = ?",
          name_of(sweep.state), sweep.started_at, sweep.finished_at, sweep.message, sweep.id);
    }
  });
  return taken;
}

template <typename... Values>
int SweepStore::change(const char* sql, const Values&... values) {
  const std::scoped_lock lock(mutex_);
  int changed = 0;
  write([&] { changed = database_.run(sql, values...); });
  return changed;
}

void SweepStore::begin(const std::string& id, const std::string& event) {
  change("UPDATE sweeps SET began = ? WHERE id = ?", event, id);
}

std::string SweepStore::began(const std::string& id) const {
  const std::scoped_lock lock(mutex_);
  SqlStatement row = database_.prepare("SELECT began FROM sweeps WHERE id = ?", id);
  return row.step() ? row.text(0) : "";
}

void SweepStore::end(const std::string& id, const SweepEnd& end) {
  change("UPDATE sweeps SET state = ?, finished_at = ?, exit_code = ?, message = ?, result = ? WHERE id = ?",
         name_of(end.state), end.finished_at.empty() ? utc_now() : end.finished_at, end.exit_code,
         end.message, end.result, id);
}

bool SweepStore::resume(const std::string& id) {
  return change(
             "UPDATE sweeps SET state = 'queued', started_at = '', finished_at = '', exit_code = NULL, "
             "message = "
             "'' WHERE id = ? AND state IN ('interrupted', 'failed')",
             id) > 0;
}

bool SweepStore::cancel(const std::string& id) {
  return change("UPDATE sweeps SET state = 'cancelled', finished_at = ? WHERE id = ? AND state = 'queued'",
                utc_now(), id) > 0;
}

std::vector<StoredCell> SweepStore::add_cells(const std::string& sweep, const std::vector<NewCell>& cells) {
  const std::scoped_lock lock(mutex_);
  std::vector<StoredCell> added;
  write([&] {
    for (const NewCell& cell : cells) {
      SqlStatement same = database_.prepare(
          "SELECT 1 FROM cells WHERE sweep = ? AND cell = ? AND document = ?", sweep, cell.id, cell.document);
      if (same.step()) continue;
      database_.run("INSERT OR REPLACE INTO cells (sweep, cell, document) VALUES (?, ?, ?)", sweep, cell.id,
                    cell.document);
      added.push_back({database_.last_id(), cell.id, cell.document});
    }
  });
  return added;
}

std::vector<StoredCell> SweepStore::cells(const std::string& sweep, std::int64_t after) const {
  const std::scoped_lock lock(mutex_);
  SqlStatement rows = database_.prepare(
      "SELECT number, cell, document FROM cells WHERE sweep = ? AND number > ? ORDER BY number", sweep,
      after);
  std::vector<StoredCell> cells;
  while (rows.step()) {
    cells.push_back({rows.integer(0), rows.text(1), checked(rows.text(2), sweep, "cell " + rows.text(1))});
  }
  return cells;
}

std::int64_t SweepStore::last_cell(const std::string& sweep) const {
  const std::scoped_lock lock(mutex_);
  SqlStatement row = database_.prepare("SELECT coalesce(max(number), 0) FROM cells WHERE sweep = ?", sweep);
  row.step();
  return row.integer(0);
}

std::optional<SweepStore::Ended> SweepStore::last_done(std::int64_t before) const {
  const std::scoped_lock lock(mutex_);
  SqlStatement row = database_.prepare(
      "SELECT id, began, exit_code, CAST(strftime('%s', finished_at) AS INTEGER), number FROM sweeps"
      " WHERE state = 'done' AND began <> '' AND number < ? ORDER BY number DESC LIMIT 1",
      before);
  if (!row.step()) return std::nullopt;
  return Ended{row.integer(4), row.text(0), row.text(1), exit_code_of(row, 2), row.integer(3)};
}

std::vector<std::string> SweepStore::cell_ids(const std::string& sweep) const {
  const std::scoped_lock lock(mutex_);
  SqlStatement rows = database_.prepare("SELECT cell FROM cells WHERE sweep = ?", sweep);
  std::vector<std::string> ids;
  while (rows.step()) ids.push_back(rows.text(0));
  return ids;
}

// Runs `change` in one transaction. Fails if the file was removed, because the change would be lost.
void SweepStore::write(const std::function<void()>& change) {
  SqlTransaction transaction(database_);
  if (database_.file_has_moved()) {
    throw SqlError("cannot use the sweeps' database: the file is missing");
  }
  change();
  transaction.commit();
}

std::size_t SweepStore::count_queued() const {
  return static_cast<std::size_t>(database_.integer_of("SELECT count(*) FROM sweeps WHERE state = 'queued'"));
}

}  // namespace graphbench::service
