// Connections, statements and transactions of SQLite, with ownership and exceptions. No other code calls
// SQLite.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "graphs/base/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace graphbench {

// The database cannot be read or written: locked, no permission, disk error, or damaged. code() is io.
class SqlError : public Error {
 public:
  explicit SqlError(const std::string& what) : Error(ErrorCode::io, what) {}
};

class SqlDamageError : public SqlError {
 public:
  using SqlError::SqlError;
};

struct SqlBlob {
  std::string bytes;
};

// A call that fails throws SqlError with SQLite's message.
class SqlStatement {
 public:
  // `name`: the database's name in messages.
  SqlStatement(sqlite3* connection, std::string name, std::string_view sql);

  // Parameters are numbered from 1.
  SqlStatement& bind(int at, std::int64_t value);
  SqlStatement& bind(int at, int value) { return bind(at, std::int64_t{value}); }
  SqlStatement& bind(int at, double value);
  SqlStatement& bind(int at, std::string_view text);
  SqlStatement& bind_null(int at);
  SqlStatement& bind(int at, const SqlBlob& bytes);
  template <typename Value>
  SqlStatement& bind(int at, const std::optional<Value>& value) {
    return value ? bind(at, *value) : bind_null(at);
  }

  bool step();  // returns true if there is a row
  void run();   // runs to the end, then accepts new parameters

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;  // a text, or the bytes of a blob
  bool is_null(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  void check(int status, const char* operation) const;

  sqlite3* connection_;
  std::string name_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// Must not be used from several threads at once.
class SqlConnection {
 public:
  struct Options {
    std::string name;
    bool create = false;
    // How long a call waits while another connection locks the file.
    std::chrono::milliseconds busy_max{10'000};
  };
  SqlConnection(const std::string& path, Options options);

  template <typename... Values>
  SqlStatement prepare(std::string_view sql, const Values&... values) {
    SqlStatement statement(connection_.get(), options_.name, sql);
    int at = 0;
    (statement.bind(++at, values), ...);
    return statement;
  }
  // Returns the number of changed rows.
  template <typename... Values>
  int run(std::string_view sql, const Values&... values) {
    prepare(sql, values...).run();
    return changes();
  }

  void execute(const char* sql);  // one statement or several
  // The first column of the first row. Zero or empty if there is no row.
  std::int64_t integer_of(const char* sql);
  std::string text_of(const char* sql);
  std::int64_t last_id() const;
  // True if the file was removed or replaced after this connection opened it, so that writes are lost.
  bool file_has_moved() const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const noexcept;
  };
  int changes() const;

  Options options_;
  std::unique_ptr<sqlite3, Close> connection_;
};

// The destructor rolls back unless commit() was called. BEGIN IMMEDIATE takes the write lock before the
// first read, so a second writer waits at its start instead of failing in the middle.
class SqlTransaction {
 public:
  explicit SqlTransaction(SqlConnection& connection);
  SqlTransaction(const SqlTransaction&) = delete;
  SqlTransaction& operator=(const SqlTransaction&) = delete;
  ~SqlTransaction();
  void commit();

 private:
  SqlConnection& connection_;
  bool open_ = true;
};

}  // namespace graphbench
