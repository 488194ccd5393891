// One table. Statements are prepared for each call: a service that measures for minutes can afford it.
#include "harness/service/serve/sweep_store.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>

#include "graphs/ir/error.hpp"
#include "harness/process/utc_now.hpp"
#include "harness/service/serve/store_statement.hpp"

namespace graphbench::serve {
namespace {

constexpr std::array<const char*, 6> state_names = {"queued", "running",   "done",
                                                    "failed", "cancelled", "interrupted"};

constexpr std::chrono::seconds probe_period{1};

// FULL: an accepted sweep survives the machine's end, not only the process's.
constexpr const char* schema =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
    "CREATE TABLE IF NOT EXISTS sweeps (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
    " state TEXT NOT NULL, arguments TEXT NOT NULL, idempotency_key TEXT UNIQUE,"
    " submitted_at TEXT NOT NULL, started_at TEXT NOT NULL DEFAULT '', finished_at TEXT NOT NULL DEFAULT '',"
    " exit_code INTEGER, message TEXT NOT NULL DEFAULT '', result TEXT);"
    "CREATE INDEX IF NOT EXISTS sweeps_by_state ON sweeps (state, number);"
    "CREATE TABLE IF NOT EXISTS cells (number INTEGER PRIMARY KEY AUTOINCREMENT, sweep TEXT NOT NULL,"
    " cell TEXT NOT NULL, document TEXT NOT NULL, UNIQUE (sweep, cell));"
    "CREATE INDEX IF NOT EXISTS cells_by_sweep ON cells (sweep, number);"
    "CREATE TABLE IF NOT EXISTS kept (sweep TEXT NOT NULL, cell TEXT NOT NULL, line TEXT NOT NULL,"
    " PRIMARY KEY (sweep, cell)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS begun (sweep TEXT PRIMARY KEY, device TEXT NOT NULL, line TEXT NOT NULL)"
    " WITHOUT ROWID;";

// Whose cells nobody asks for once sweep ?1 has ended otherwise than interrupted: its own, or, where it is
// done, those of the one that was done before it. Of one that ended well stays that it did, until another
// does.
constexpr const char* ended_itself = "SELECT ?1";
constexpr const char* done_before =
    "SELECT old.sweep FROM begun AS old JOIN begun AS new ON new.device = old.device AND new.sweep = ?1"
    " JOIN sweeps AS was ON was.id = old.sweep JOIN sweeps AS now ON now.id = ?1"
    " WHERE old.sweep <> ?1 AND was.state = 'done'";
constexpr const char* unless_it_was_better = " AND (now.exit_code = 0 OR was.exit_code <> 0)";
constexpr const char* or_itself =
    " UNION ALL SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM begun WHERE sweep = ?1)";

constexpr const char* columns =
    "id, state, arguments, submitted_at, started_at, finished_at, exit_code, message";

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

std::string text_of(const std::vector<std::string>& arguments) {
  return nlohmann::json(arguments).dump();
}

// A row that somebody has changed by hand is one sweep that failed, and no reason to tell of no other.
StoredSweep sweep_of(const Statement& row) {
  StoredSweep sweep;
  sweep.id = row.text(0);
  sweep.submitted_at = row.text(3);
  sweep.started_at = row.text(4);
  sweep.finished_at = row.text(5);
  sweep.exit_code = row.number(6);
  sweep.message = row.text(7);
  const auto* const state = std::ranges::find(state_names, row.text(1));
  try {
    if (state == state_names.end()) throw StoreError("its state is none");
    sweep.state = static_cast<SweepState>(state - state_names.begin());
    sweep.arguments = nlohmann::json::parse(row.text(2)).get<std::vector<std::string>>();
  } catch (const std::exception& error) {
    sweep.state = SweepState::failed;
    sweep.message = std::string("what is stored of this sweep cannot be read: ") + error.what();
  }
  return sweep;
}

// SQLite gives the files beside it the mode of this one.
void make_private(const std::string& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    throw Error(ErrorCode::io, "open the sweeps' database '" + file + "': " + std::strerror(errno));
  }
  close(descriptor);
}

}  // namespace

const char* name_of(SweepState state) {
  return state_names[static_cast<std::size_t>(state)];
}

class SweepStore::Impl {
 public:
  explicit Impl(const std::string& file) {
    make_private(file);
    const int code =
        sqlite3_open_v2(file.c_str(), &database_,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
    char* message = nullptr;
    if (code != SQLITE_OK || sqlite3_exec(database_, schema, nullptr, nullptr, &message) != SQLITE_OK) {
      const std::string why = message != nullptr ? message : sqlite3_errmsg(database_);
      sqlite3_free(message);
      sqlite3_close(database_);
      throw Error(ErrorCode::io, "open the sweeps' database '" + file + "': " + why);
    }
    Statement(database_,
              "UPDATE sweeps SET state = 'interrupted', finished_at = ?, message = ? "
              "WHERE state = 'running'")
        .bind(process::utc_now())
        .bind(std::string("the service ended while this sweep ran"))
        .step();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { sqlite3_close(database_); }

  Added add(const std::vector<std::string>& arguments, const std::string& key, std::size_t queued_max) {
    const std::scoped_lock lock(mutex_);
    const std::string text = text_of(arguments);
    if (!key.empty()) {
      Statement known(database_, std::string("SELECT ") + columns + " FROM sweeps WHERE idempotency_key = ?");
      if (known.bind(key).step()) return {Added::What::known, told(sweep_of(known)), known.text(2) == text};
    }
    if (count_queued() >= queued_max) return {Added::What::full, {}, true};
    StoredSweep sweep;
    sweep.id = new_id();
    sweep.arguments = arguments;
    sweep.submitted_at = process::utc_now();
    write([&] {
      Statement(database_,
                "INSERT INTO sweeps (id, state, arguments, idempotency_key, submitted_at) "
                "VALUES (?, 'queued', ?, ?, ?)")
          .bind(sweep.id)
          .bind(text)
          .bind(key.empty() ? std::optional<std::string>() : key)
          .bind(sweep.submitted_at)
          .step();
    });
    return {Added::What::added, told(std::move(sweep)), true};
  }

  std::size_t queued() const {
    const std::scoped_lock lock(mutex_);
    return count_queued();
  }

  std::optional<StoredSweep> find(const std::string& id) const {
    const std::scoped_lock lock(mutex_);
    Statement row(database_, std::string("SELECT ") + columns + " FROM sweeps WHERE id = ?");
    if (!row.bind(id).step()) return std::nullopt;
    return told(sweep_of(row));
  }

  std::vector<StoredSweep> list(std::size_t limit, const std::optional<std::string>& after) const {
    const std::scoped_lock lock(mutex_);
    const std::string older = after ? " WHERE number < (SELECT number FROM sweeps WHERE id = ?)" : "";
    Statement rows(database_, std::string("SELECT ") + columns + " FROM sweeps" + older +
                                  " ORDER BY number DESC LIMIT ?");
    if (after) rows.bind(*after);
    rows.bind(static_cast<std::int64_t>(limit));
    std::vector<StoredSweep> sweeps;
    while (rows.step()) sweeps.push_back(told(sweep_of(rows)));
    return sweeps;
  }

  std::optional<std::string> result(const std::string& id) const {
    const std::scoped_lock lock(mutex_);
    Statement row(database_, "SELECT result FROM sweeps WHERE id = ? AND state NOT IN ('queued', 'running')");
    if (!row.bind(id).step() || row.is_null(0)) return std::nullopt;
    return row.text(0);
  }

  std::optional<StoredSweep> take() {
    const std::scoped_lock lock(mutex_);
    std::optional<StoredSweep> taken;
    write([&] {
      while (!taken) {
        Statement oldest(database_, std::string("SELECT ") + columns +
                                        " FROM sweeps WHERE state = 'queued' ORDER BY number LIMIT 1");
        if (!oldest.step()) return;
        StoredSweep sweep = sweep_of(oldest);
        const bool readable = sweep.state == SweepState::queued;
        const std::string now = process::utc_now();
        Statement(database_,
                  "UPDATE sweeps SET state = ?, started_at = ?, finished_at = ?, message = ?, result = NULL "
                  "WHERE id = ?")
            .bind(std::string(name_of(readable ? SweepState::running : SweepState::failed)))
            .bind(readable ? now : "")
            .bind(readable ? "" : now)
            .bind(sweep.message)
            .bind(sweep.id)
            .step();
        if (!readable) continue;
        sweep.state = SweepState::running;
        sweep.started_at = now;
        taken = std::move(sweep);
      }
    });
    return taken;
  }

  void end(const std::string& id, const SweepEnd& end) {
    const std::scoped_lock lock(mutex_);
    write([&] {
      Statement(database_,
                "UPDATE sweeps SET state = ?, finished_at = ?, exit_code = ?, message = ?, result = ? "
                "WHERE id = ?")
          .bind(std::string(name_of(end.state)))
          .bind(end.finished_at.empty() ? process::utc_now() : end.finished_at)
          .bind(end.exit_code)
          .bind(end.message)
          .bind(end.result)
          .bind(id)
          .step();
      if (end.state == SweepState::interrupted) return;
      const bool done = end.state == SweepState::done;
      const std::string cells = done ? std::string(done_before) + or_itself : ended_itself;
      const std::string whole = done ? std::string(done_before) + unless_it_was_better : ended_itself;
      Statement(database_, "DELETE FROM kept WHERE sweep IN (" + cells + ")").bind(id).step();
      Statement(database_, "DELETE FROM begun WHERE sweep IN (" + whole + ")").bind(id).step();
    });
    of_ended_ = {};
  }

  void begin(const std::string& id, const std::string& device, const std::string& line) {
    const std::scoped_lock lock(mutex_);
    write([&] {
      Statement(database_, "INSERT OR REPLACE INTO begun (sweep, device, line) VALUES (?, ?, ?)")
          .bind(id)
          .bind(device)
          .bind(line)
          .step();
    });
  }

  std::vector<Newest> newest() const {
    const std::scoped_lock lock(mutex_);
    Statement rows(database_,
                   "SELECT id, device, line, exit_code, CAST(strftime('%s', finished_at) AS INTEGER)"
                   " FROM begun JOIN sweeps ON sweeps.id = begun.sweep WHERE state = 'done' ORDER BY number");
    std::vector<Newest> found;
    while (rows.step()) {
      found.push_back({rows.text(0), rows.text(1), rows.text(2), rows.number(3), rows.big_number(4)});
    }
    return found;
  }

  void say_of_queued(const std::string& message) {
    const std::scoped_lock lock(mutex_);
    of_queued_ = message;
  }

  void say_of_ended(const std::string& id, const std::string& message) {
    const std::scoped_lock lock(mutex_);
    of_ended_ = {id, message};
  }

  // A change that is rolled back never leaves memory: only one that is kept shows whether the disk has room.
  void probe() {
    const std::scoped_lock lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (!probed_ || now - *probed_ >= probe_period) {
      probed_ = now;
      probe_error_.clear();
      try {
        write([this] { Statement(database_, "PRAGMA user_version = 0").step(); });
      } catch (const Error& error) {
        probe_error_ = error.what();
      }
    }
    if (!probe_error_.empty()) throw StoreError(probe_error_);
  }

  std::vector<std::string> kept(const std::string& sweep) const {
    const std::scoped_lock lock(mutex_);
    Statement rows(database_, "SELECT line FROM kept WHERE sweep = ? ORDER BY cell");
    rows.bind(sweep);
    std::vector<std::string> lines;
    while (rows.step()) lines.push_back(rows.text(0));
    return lines;
  }

  bool resume(const std::string& id) {
    const std::scoped_lock lock(mutex_);
    int changed = 0;
    write([&] {
      Statement(database_,
                "UPDATE sweeps SET state = 'queued', started_at = '', finished_at = '', exit_code = NULL, "
                "message = '' WHERE id = ? AND state = 'interrupted'")
          .bind(id)
          .step();
      changed = sqlite3_changes(database_);
    });
    return changed > 0;
  }

  std::vector<StoredCell> add_cells(const std::string& sweep, const std::vector<NewCell>& cells) {
    const std::scoped_lock lock(mutex_);
    std::vector<StoredCell> added;
    write([&] {
      for (const NewCell& cell : cells) {
        Statement known(database_, "SELECT 1 FROM cells WHERE sweep = ? AND cell = ? AND document = ?");
        if (known.bind(sweep).bind(cell.id).bind(cell.document).step()) continue;
        Statement(database_, "INSERT OR REPLACE INTO cells (sweep, cell, document) VALUES (?, ?, ?)")
            .bind(sweep)
            .bind(cell.id)
            .bind(cell.document)
            .step();
        added.push_back({sqlite3_last_insert_rowid(database_), cell.id, cell.document});
        Statement(database_, "INSERT OR REPLACE INTO kept (sweep, cell, line) VALUES (?, ?, ?)")
            .bind(sweep)
            .bind(cell.id)
            .bind(cell.kept)
            .step();
      }
    });
    return added;
  }

  std::vector<StoredCell> cells(const std::string& sweep, std::int64_t after) const {
    const std::scoped_lock lock(mutex_);
    Statement rows(database_,
                   "SELECT number, cell, document FROM cells WHERE sweep = ? AND number > ? ORDER BY number");
    rows.bind(sweep).bind(after);
    std::vector<StoredCell> cells;
    while (rows.step()) cells.push_back({rows.big_number(0), rows.text(1), rows.text(2)});
    return cells;
  }

  bool cancel(const std::string& id) {
    const std::scoped_lock lock(mutex_);
    int changed = 0;
    write([&] {
      Statement(database_,
                "UPDATE sweeps SET state = 'cancelled', finished_at = ? "
                "WHERE id = ? AND state = 'queued'")
          .bind(process::utc_now())
          .bind(id)
          .step();
      changed = sqlite3_changes(database_);
    });
    return changed > 0;
  }

 private:
  StoredSweep told(StoredSweep sweep) const {
    if (sweep.state == SweepState::queued) sweep.message = of_queued_;
    if (sweep.state == SweepState::running && sweep.id == of_ended_.id) sweep.message = of_ended_.message;
    return sweep;
  }

  // One transaction.
  void write(const std::function<void()>& change) {
    Statement(database_, "BEGIN IMMEDIATE").step();
    try {
      // A file that was removed takes what is written to it along.
      int moved = 0;
      sqlite3_file_control(database_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
      if (moved != 0) throw StoreError("use the sweeps' database: its file is no longer there");
      change();
      Statement(database_, "COMMIT").step();
    } catch (const Error&) {
      sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
  }

  std::size_t count_queued() const {
    Statement queued(database_, "SELECT count(*) FROM sweeps WHERE state = 'queued'");
    queued.step();
    return static_cast<std::size_t>(queued.number(0).value_or(0));
  }

  mutable std::mutex mutex_;
  sqlite3* database_ = nullptr;
  std::optional<std::chrono::steady_clock::time_point> probed_;
  std::string of_queued_;
  struct {
    std::string id;
    std::string message;
  } of_ended_;
  std::string probe_error_;  // of that time; empty: none
};

SweepStore::SweepStore(const std::string& file) : impl_(std::make_unique<Impl>(file)) {}
SweepStore::~SweepStore() = default;

SweepStore::Added SweepStore::add(const std::vector<std::string>& arguments, const std::string& key,
                                  std::size_t queued_max) {
  return impl_->add(arguments, key, queued_max);
}

std::optional<StoredSweep> SweepStore::find(const std::string& id) const {
  return impl_->find(id);
}

std::vector<StoredSweep> SweepStore::list(std::size_t limit, const std::optional<std::string>& after) const {
  return impl_->list(limit, after);
}

std::optional<std::string> SweepStore::result(const std::string& id) const {
  return impl_->result(id);
}

std::size_t SweepStore::queued() const {
  return impl_->queued();
}

void SweepStore::say_of_queued(const std::string& message) {
  impl_->say_of_queued(message);
}

void SweepStore::say_of_ended(const std::string& id, const std::string& message) {
  impl_->say_of_ended(id, message);
}

void SweepStore::probe() {
  impl_->probe();
}

std::optional<StoredSweep> SweepStore::take() {
  return impl_->take();
}

void SweepStore::end(const std::string& id, const SweepEnd& end) {
  impl_->end(id, end);
}

void SweepStore::begin(const std::string& id, const std::string& device, const std::string& line) {
  impl_->begin(id, device, line);
}

std::vector<SweepStore::Newest> SweepStore::newest() const {
  return impl_->newest();
}

bool SweepStore::resume(const std::string& id) {
  return impl_->resume(id);
}

std::vector<StoredCell> SweepStore::add_cells(const std::string& sweep, const std::vector<NewCell>& cells) {
  return impl_->add_cells(sweep, cells);
}

std::vector<StoredCell> SweepStore::cells(const std::string& sweep, std::int64_t after) const {
  return impl_->cells(sweep, after);
}

std::vector<std::string> SweepStore::kept(const std::string& sweep) const {
  return impl_->kept(sweep);
}

bool SweepStore::cancel(const std::string& id) {
  return impl_->cancel(id);
}

}  // namespace graphbench::serve
