// Makes a database readable but not writable while the object exists: another connection holds its lock.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

namespace graphbench::serve {

class Unwritable {
 public:
  explicit Unwritable(const std::string& file) {
    EXPECT_EQ(sqlite3_open(file.c_str(), &database_), SQLITE_OK);
    sqlite3_busy_timeout(database_, 10'000);
    EXPECT_EQ(sqlite3_exec(database_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  }
  Unwritable(const Unwritable&) = delete;
  Unwritable& operator=(const Unwritable&) = delete;
  ~Unwritable() { sqlite3_close(database_); }

 private:
  sqlite3* database_ = nullptr;
};

}  // namespace graphbench::serve
