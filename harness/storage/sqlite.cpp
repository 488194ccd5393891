// Turns every status of SQLite that is not success into an Error.
#include "harness/storage/sqlite.hpp"

#include <sqlite3.h>

namespace graphbench::history {
namespace {

constexpr int busy_timeout_ms = 10'000;

[[noreturn]] void fail(sqlite3* connection, const std::string& path, const char* operation) {
  const char* message = connection != nullptr ? sqlite3_errmsg(connection) : "out of memory";
  const std::string what = std::string(operation) + " " + path + ": " + message;
  const int status = connection != nullptr ? sqlite3_errcode(connection) & 0xff : SQLITE_NOMEM;
  // SQLITE_ERROR: a format or tables that are not what the header says.
  if (status == SQLITE_CORRUPT || status == SQLITE_NOTADB || status == SQLITE_ERROR)
    throw DamageError(ErrorCode::io, what);
  throw Error(ErrorCode::io, what);
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);  // repeats the error of the last step, which was reported there
}

Statement::Statement(sqlite3* connection, const std::string& path, std::string_view sql)
    : connection_(connection), path_(path) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement, nullptr),
        "read history");
  statement_.reset(statement);
}

void Statement::check(int status, const char* operation) const {
  if (status != SQLITE_OK) fail(connection_, path_, operation);
}

Statement& Statement::bind(int at, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), at, value), "use history");
  return *this;
}

Statement& Statement::bind(int at, double value) {
  check(sqlite3_bind_double(statement_.get(), at, value), "use history");
  return *this;
}

Statement& Statement::bind(int at, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), at, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8),
        "use history");
  return *this;
}

Statement& Statement::bind_bytes(int at, std::string_view bytes) {
  check(sqlite3_bind_blob64(statement_.get(), at, bytes.data(), bytes.size(), SQLITE_TRANSIENT),
        "use history");
  return *this;
}

bool Statement::step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) fail(connection_, path_, "use history");
  return false;
}

void Statement::run() {
  while (step()) {
  }
  check(sqlite3_reset(statement_.get()), "use history");
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  // The bytes before their number: SQLite documents this order.
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int count = sqlite3_column_bytes(statement_.get(), column);
  if (bytes == nullptr || count <= 0) return "";
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(count)};
}

void Connection::Close::operator()(sqlite3* connection) const noexcept {
  sqlite3_close_v2(connection);
}

Connection::Connection(const std::string& path, Mode mode) : path_(path) {
  sqlite3* connection = nullptr;
  const int create = mode == Mode::create ? SQLITE_OPEN_CREATE : 0;
  // Readers may write too: what a killed writer left half done is rolled back by whoever comes next.
  // SQLite takes ":memory:" and names that begin with "file:" for no file of that name.
  const std::string name = path.starts_with('/') ? path : "./" + path;
  const int status = sqlite3_open_v2(name.c_str(), &connection, SQLITE_OPEN_READWRITE | create, nullptr);
  connection_.reset(connection);
  if (status != SQLITE_OK) fail(connection, path, "open history");
  if (sqlite3_busy_timeout(connection, busy_timeout_ms) != SQLITE_OK) fail(connection, path, "open history");
  execute("PRAGMA foreign_keys = ON");
}

void Connection::execute(const char* sql) {
  if (sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    fail(connection_.get(), path_, "use history");
}

std::int64_t Connection::integer_of(const char* sql) {
  Statement query = prepare(sql);
  return query.step() ? query.integer(0) : 0;
}

std::string Connection::text_of(const char* sql) {
  Statement query = prepare(sql);
  return query.step() ? query.text(0) : "";
}

std::int64_t Connection::last_id() const {
  return sqlite3_last_insert_rowid(connection_.get());
}

Transaction::Transaction(Connection& connection) : connection_(connection) {
  connection_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    connection_.execute("ROLLBACK");
  } catch (const std::exception&) {
    // SQLite rolls back by itself after some errors, and says then that there is nothing to roll back.
  }
}

void Transaction::commit() {
  connection_.execute("COMMIT");
  open_ = false;
}

}  // namespace graphbench::history
