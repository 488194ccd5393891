// Two ways to make a database readable but not writable while an object exists: another connection holds its
// lock, or its disk is full.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <string>

namespace graphbench::service {

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

// No file of this process becomes larger than `bytes`.
class FullDisk {
 public:
  explicit FullDisk(std::uintmax_t bytes) : before_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &limit_), 0);
    set(bytes);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    set(limit_.rlim_cur);
    std::signal(SIGXFSZ, before_);
  }

 private:
  void set(rlim_t bytes) const {
    const rlimit wanted{bytes, limit_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &wanted), 0);
  }

  void (*before_)(int);
  rlimit limit_{};
};

}  // namespace graphbench::service
