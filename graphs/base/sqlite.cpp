// Turns every status of SQLite that is not success into a StorageError.
#include "graphs/base/sqlite.hpp"

#include <sqlite3.h>

#include <utility>

namespace graphbench {
namespace {

[[noreturn]] void fail(sqlite3* connection, const std::string& name, const char* operation) {
  const char* message = connection != nullptr ? sqlite3_errmsg(connection) : "out of memory";
  const std::string what = std::string(operation) + " " + name + ": " + message;
  const int status = connection != nullptr ? sqlite3_errcode(connection) & 0xff : SQLITE_NOMEM;
  // Here, SQLITE_ERROR means that the file's tables do not match the schema version in its header.
  if (status == SQLITE_CORRUPT || status == SQLITE_NOTADB || status == SQLITE_ERROR)
    throw SqlDamageError(what);
  throw SqlError(what);
}

}  // namespace

void SqlStatement::Finalize::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);  // returns the error of the last step again, which step() has reported
}

SqlStatement::SqlStatement(sqlite3* connection, std::string name, std::string_view sql)
    : connection_(connection), name_(std::move(name)) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement, nullptr),
        "read");
  statement_.reset(statement);
}

void SqlStatement::check(int status, const char* operation) const {
  if (status != SQLITE_OK) fail(connection_, name_, operation);
}

SqlStatement& SqlStatement::bind(int at, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), at, value), "use");
  return *this;
}

SqlStatement& SqlStatement::bind(int at, double value) {
  check(sqlite3_bind_double(statement_.get(), at, value), "use");
  return *this;
}

SqlStatement& SqlStatement::bind(int at, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), at, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8),
        "use");
  return *this;
}

SqlStatement& SqlStatement::bind_null(int at) {
  check(sqlite3_bind_null(statement_.get(), at), "use");
  return *this;
}

SqlStatement& SqlStatement::bind(int at, const SqlBlob& blob) {
  check(sqlite3_bind_blob64(statement_.get(), at, blob.bytes.data(), blob.bytes.size(), SQLITE_TRANSIENT),
        "use");
  return *this;
}

bool SqlStatement::step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) fail(connection_, name_, "use");
  return false;
}

void SqlStatement::run() {
  while (step()) {
  }
  check(sqlite3_reset(statement_.get()), "use");
}

std::int64_t SqlStatement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double SqlStatement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string SqlStatement::text(int column) const {
  // SQLite documents that the bytes must be read before their number.
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int count = sqlite3_column_bytes(statement_.get(), column);
  if (bytes == nullptr || count <= 0) return "";
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(count)};
}

bool SqlStatement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void SqlConnection::Close::operator()(sqlite3* connection) const noexcept {
  sqlite3_close_v2(connection);
}

SqlConnection::SqlConnection(const std::string& path, Options options) : options_(std::move(options)) {
  sqlite3* connection = nullptr;
  // Readers open for writing too: after a writer was killed, the next connection must roll back its work.
  const int flags = SQLITE_OPEN_READWRITE | (options_.create ? SQLITE_OPEN_CREATE : 0);
  // Prevents SQLite from reading ":memory:" or "file:..." as a special name.
  const std::string file = path.starts_with('/') ? path : "./" + path;
  const int status = sqlite3_open_v2(file.c_str(), &connection, flags, nullptr);
  connection_.reset(connection);
  if (status != SQLITE_OK || sqlite3_busy_timeout(connection, static_cast<int>(options_.busy_max.count()))) {
    fail(connection, options_.name, "open");
  }
  execute("PRAGMA foreign_keys = ON");
}

void SqlConnection::execute(const char* sql) {
  if (sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    fail(connection_.get(), options_.name, "use");
}

std::int64_t SqlConnection::integer_of(const char* sql) {
  SqlStatement query = prepare(sql);
  return query.step() ? query.integer(0) : 0;
}

std::string SqlConnection::text_of(const char* sql) {
  SqlStatement query = prepare(sql);
  return query.step() ? query.text(0) : "";
}

int SqlConnection::changes() const {
  return sqlite3_changes(connection_.get());
}

bool SqlConnection::file_has_moved() const {
  int moved = 0;
  sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

std::int64_t SqlConnection::last_id() const {
  return sqlite3_last_insert_rowid(connection_.get());
}

SqlTransaction::SqlTransaction(SqlConnection& connection) : connection_(connection) {
  connection_.execute("BEGIN IMMEDIATE");
}

SqlTransaction::~SqlTransaction() {
  if (!open_) return;
  try {
    connection_.execute("ROLLBACK");
  } catch (const std::exception&) {
    // After some errors SQLite has already rolled back, and reports that there is nothing to roll back.
  }
}

void SqlTransaction::commit() {
  connection_.execute("COMMIT");
  open_ = false;
}

}  // namespace graphbench
