// SQL of the sweeps' database: a statement, its parameters in order, its rows. For sweep_store.cpp alone.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>

#include "harness/service/serve/sweep_store.hpp"

namespace graphbench::serve {

// One statement from binding to its last row. Every call throws StoreError with SQLite's own words.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql) : database_(database) {
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) fail();
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  Statement& bind(const std::string& text) {
    check(sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()),
                            SQLITE_TRANSIENT));
    return *this;
  }
  Statement& bind(const std::optional<std::string>& text) {
    if (text) return bind(*text);
    check(sqlite3_bind_null(statement_, ++bound_));
    return *this;
  }
  Statement& bind(std::optional<int> number) {
    check(number ? sqlite3_bind_int(statement_, ++bound_, *number) : sqlite3_bind_null(statement_, ++bound_));
    return *this;
  }

  // True while there is a row.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail();
    return code == SQLITE_ROW;
  }
  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    if (bytes == nullptr) return "";
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }
  Statement& bind(std::int64_t number) {
    check(sqlite3_bind_int64(statement_, ++bound_, number));
    return *this;
  }
  std::int64_t big_number(int column) const { return sqlite3_column_int64(statement_, column); }
  std::optional<int> number(int column) const {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
    return sqlite3_column_int(statement_, column);
  }
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

 private:
  void check(int code) const {
    if (code != SQLITE_OK) fail();
  }
  [[noreturn]] void fail() const {
    throw StoreError(std::string("use the sweeps' database: ") + sqlite3_errmsg(database_));
  }

  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

}  // namespace graphbench::serve
