// SQLite with owners and exceptions: a connection and a statement. Internal to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "graphs/ir/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace graphbench::history {

// SQLite found the file's contents to be wrong, where another Error(io) is about reaching them: a lock,
// permissions, a disk.
class DamageError : public Error {
 public:
  using Error::Error;
};

// One prepared statement. Every call throws Error(io) naming the file and SQLite's message.
class Statement {
 public:
  Statement(sqlite3* connection, const std::string& path, std::string_view sql);

  // Parameters are numbered from 1.
  Statement& bind(int at, std::int64_t value);
  Statement& bind(int at, double value);
  Statement& bind(int at, std::string_view text);
  Statement& bind_bytes(int at, std::string_view bytes);

  bool step();  // true: there is a row
  void run();   // to the end, and ready for new parameters

  // Columns of the row are numbered from 0.
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;  // or the bytes of a blob

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  void check(int status, const char* operation) const;

  sqlite3* connection_;
  std::string path_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// One connection. Not for several threads.
class Connection {
 public:
  enum class Mode : std::uint8_t { existing, create };
  // Waits up to ten seconds wherever another process holds the file.
  Connection(const std::string& path, Mode mode);

  Statement prepare(std::string_view sql) { return {connection_.get(), path_, sql}; }
  void execute(const char* sql);
  // The first column of the first row; zero or empty where there is none.
  std::int64_t integer_of(const char* sql);
  std::string text_of(const char* sql);
  std::int64_t last_id() const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const noexcept;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> connection_;
};

// Rolls back unless committed. BEGIN IMMEDIATE: the lock is taken before anything is read, so that two
// writers wait for each other and neither fails half-way.
class Transaction {
 public:
  explicit Transaction(Connection& connection);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Connection& connection_;
  bool open_ = true;
};

}  // namespace graphbench::history
