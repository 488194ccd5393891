// Defines the tables and queries of the history. The rollback journal, SQLite's default, leaves one file
// that people can copy. Transactions are short, so other writers wait only briefly.
#include "harness/judge/history/store.hpp"

#include <algorithm>
#include <filesystem>

#include "graphs/base/digest.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::judge {
namespace {

constexpr const char* tables = R"(
CREATE TABLE entries(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  digest TEXT NOT NULL UNIQUE,
  commit_id TEXT NOT NULL, branch TEXT NOT NULL, label TEXT NOT NULL,
  started_at TEXT NOT NULL, fingerprint TEXT NOT NULL, plan_hash TEXT NOT NULL,
  device TEXT NOT NULL, tool_version TEXT NOT NULL,
  complete INTEGER NOT NULL, cells INTEGER NOT NULL, launches INTEGER NOT NULL,
  document BLOB NOT NULL, document_bytes INTEGER NOT NULL) STRICT;
CREATE INDEX entries_by_branch ON entries(branch, started_at);
CREATE TABLE cells(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE medians(
  cell INTEGER NOT NULL REFERENCES cells(id), metric TEXT NOT NULL,
  entry INTEGER NOT NULL REFERENCES entries(id), launch INTEGER NOT NULL, seconds REAL NOT NULL,
  PRIMARY KEY(cell, metric, entry, launch)) STRICT, WITHOUT ROWID;
)";

constexpr const char* tables_there =
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('entries', 'cells', 'medians')";
constexpr std::int64_t table_count = 3;

constexpr const char* stored_columns =
    "entries.id, commit_id, branch, label, started_at, fingerprint, plan_hash, device, tool_version, "
    "complete, cells, launches";

HistoryEntry entry_of(const SqlStatement& row) {
  HistoryEntry entry;
  entry.id = row.integer(0);
  entry.label = {row.text(1), row.text(2), row.text(3)};
  entry.started_at = row.text(4);
  entry.fingerprint = row.text(5);
  entry.plan_hash = row.text(6);
  entry.device = row.text(7);
  entry.tool_version = row.text(8);
  entry.complete = row.integer(9) != 0;
  entry.cells = row.integer(10);
  entry.launches = row.integer(11);
  return entry;
}

InputError damaged(const std::string& path, const std::string& finding) {
  return {path, "the history is damaged (" + finding +
                    "): nothing was changed; restore a copy, or give another file with --history"};
}

SqlConnection connect(const std::string& path, Store::Access access) {
  const FileState state = inspect_file(path);
  if (state == FileState::absent && access == Store::Access::existing) {
    throw InputError(path, "the history does not exist yet: create it with graphbench history add FILE");
  }
  return {path, {.name = "history " + path, .create = access == Store::Access::create}};
}

HistoryPoint point_of(HistoryEntry entry, const std::vector<double>& seconds) {
  const auto [lowest, highest] = std::ranges::minmax(seconds);
  return {std::move(entry), model::median(seconds), lowest, highest,
          static_cast<std::int64_t>(seconds.size())};
}

}  // namespace

Store::Store(const std::string& path, Access access) : path_(path), connection_(connect(path, access)) {
  check_whole();
}

// Finds damage before the first read or write, and creates the tables of a new file. The transaction keeps
// other writers out during the check.
void Store::check_whole() {
  std::string finding;
  bool made = true;
  try {
    connection_.execute("BEGIN");
    finding = connection_.text_of("PRAGMA quick_check(1)");
    const std::int64_t bytes =
        connection_.integer_of("PRAGMA page_count") * connection_.integer_of("PRAGMA page_size");
    made = connection_.integer_of("PRAGMA user_version") != 0;
    if (made && finding == "ok" && connection_.integer_of(tables_there) != table_count)
      finding = "tables are missing";
    connection_.execute("COMMIT");
    // If the file was cut off, SQLite reads the missing part of the last page as zeros.
    if (made && std::filesystem::file_size(path_) < static_cast<std::uintmax_t>(bytes)) finding = "cut off";
  } catch (const SqlDamageError& error) {
    finding = error.what();
  }
  if (finding != "ok") throw damaged(path_, finding);
  if (!made) create_tables();
}

void Store::create_tables() {
  SqlTransaction transaction(connection_);
  // Another process may have created the tables since check_whole() looked.
  if (connection_.integer_of("PRAGMA user_version") != 0) return;
  connection_.execute(tables);
  connection_.execute(("PRAGMA application_id = " + std::to_string(application_id)).c_str());
  connection_.execute(("PRAGMA user_version = " + std::to_string(schema_version)).c_str());
  transaction.commit();
}

std::vector<Added> Store::add(const std::vector<NewEntry>& entries) {
  SqlTransaction transaction(connection_);
  std::vector<Added> added;
  for (const NewEntry& entry : entries) added.push_back(add_one(entry));
  transaction.commit();
  return added;
}

Added Store::add_one(const NewEntry& entry) {
  const std::string digest = sha256_hex(entry.document);
  SqlStatement same = connection_.prepare("SELECT id, label FROM entries WHERE digest = ?", digest);
  if (same.step()) {
    const std::string& label = entry.entry.label.label;
    Added there{same.integer(0), true, same.text(1)};
    if (!label.empty()) connection_.run("UPDATE entries SET label = ? WHERE id = ?", label, there.id);
    return there;
  }
  const std::int64_t id = insert_entry(entry, digest);
  insert_medians(id, entry.medians);
  return {id, false};
}

std::int64_t Store::insert_entry(const NewEntry& entry, const std::string& digest) {
  const HistoryEntry& facts = entry.entry;
  connection_.run(
      "INSERT INTO entries(digest, commit_id, branch, label, started_at, fingerprint, plan_hash, device, "
      "tool_version, complete, cells, launches, document, document_bytes) "
      "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      digest, facts.label.commit, facts.label.branch, facts.label.label, facts.started_at, facts.fingerprint,
      facts.plan_hash, facts.device, facts.tool_version, std::int64_t{facts.complete}, facts.cells,
      facts.launches, SqlBlob{pack(entry.document)}, static_cast<std::int64_t>(entry.document.size()));
  return connection_.last_id();
}

void Store::insert_medians(std::int64_t id, const std::vector<LaunchMedians>& medians) {
  SqlStatement name = connection_.prepare("INSERT OR IGNORE INTO cells(name) VALUES(?)");
  SqlStatement insert = connection_.prepare(
      "INSERT INTO medians(cell, metric, entry, launch, seconds) "
      "VALUES((SELECT id FROM cells WHERE name = ?), ?, ?, ?, ?)");
  for (const LaunchMedians& each : medians) {
    name.bind(1, each.cell).run();
    for (std::size_t launch = 0; launch < each.seconds.size(); ++launch) {
      insert.bind(1, each.cell).bind(2, name_of(each.metric)).bind(3, id);
      insert.bind(4, static_cast<std::int64_t>(launch)).bind(5, each.seconds[launch]).run();
    }
  }
}

std::vector<HistoryEntry> Store::remove(const std::vector<std::int64_t>& ids, const std::string& where) {
  SqlTransaction transaction(connection_);
  std::vector<HistoryEntry> removed;
  for (const std::int64_t id : ids) {
    SqlStatement query = connection_.prepare(
        std::string("SELECT ") + stored_columns + " FROM entries WHERE entries.id = ?", id);
    if (!query.step())
      throw InputError(where, "the history has no entry " + std::to_string(id) +
                                  ": nothing was removed; graphbench history list shows the entries");
    removed.push_back(entry_of(query));
    connection_.run("DELETE FROM medians WHERE entry = ?", id);
    connection_.run("DELETE FROM entries WHERE id = ?", id);
  }
  connection_.execute("DELETE FROM cells WHERE id NOT IN (SELECT cell FROM medians)");
  transaction.commit();
  return removed;
}

std::vector<HistoryEntry> Store::list(const std::string& branch) {
  SqlStatement query =
      connection_.prepare(std::string("SELECT ") + stored_columns +
                              " FROM entries WHERE (?1 = '' OR branch = ?1) ORDER BY started_at, id",
                          branch);
  std::vector<HistoryEntry> entries;
  while (query.step()) entries.push_back(entry_of(query));
  return entries;
}

std::string Store::document(std::int64_t id) {
  SqlStatement query =
      connection_.prepare("SELECT document, document_bytes, digest FROM entries WHERE id = ?", id);
  if (!query.step()) {
    throw Error(ErrorCode::invalid_argument, "read history: the history has no entry " + std::to_string(id));
  }
  const std::string name = "entry " + std::to_string(id);
  try {
    std::string text = unpack(query.text(0), query.integer(1));
    if (sha256_hex(text) == query.text(2)) return text;
  } catch (const Error& error) {
    throw damaged(path_, name + ", " + error.what());
  }
  throw damaged(path_, name + " does not match its checksum");
}

std::vector<std::string> Store::cells() {
  SqlStatement query = connection_.prepare("SELECT name FROM cells ORDER BY name");
  std::vector<std::string> names;
  while (query.step()) names.push_back(query.text(0));
  return names;
}

std::vector<HistoryPoint> Store::points(const std::string& cell, model::Metric metric) {
  SqlStatement query =
      connection_.prepare(std::string("SELECT ") + stored_columns +
                              ", seconds FROM medians JOIN entries ON entries.id = medians.entry "
                              "WHERE medians.cell = (SELECT id FROM cells WHERE name = ?) AND metric = ? "
                              "ORDER BY started_at, entries.id, launch",
                          cell, name_of(metric));
  std::vector<HistoryPoint> points;
  std::vector<double> seconds;
  HistoryEntry entry;
  while (query.step()) {
    if (!seconds.empty() && query.integer(0) != entry.id) {
      points.push_back(point_of(std::move(entry), seconds));
      seconds.clear();
    }
    entry = entry_of(query);
    seconds.push_back(query.real(12));
  }
  if (!seconds.empty()) points.push_back(point_of(std::move(entry), seconds));
  return points;
}

}  // namespace graphbench::judge
