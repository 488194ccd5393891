// Tests that a file that is no complete history is refused, and that its bytes stay the same.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>

#include "harness/judge/history/store.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::judge {
namespace {

class HistoryFile : public testing::Test {
 protected:
  std::string path() const { return folder_.file("history.sqlite"); }

  std::string bytes() const { return test::read_file(path()); }

  void write(const std::string& text) const { folder_.write("history.sqlite", text); }

  void execute(const char* sql) const {
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &connection), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(connection, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_close(connection), SQLITE_OK);
  }

  // Makes a history of some twenty SQLite pages.
  void make_history() const {
    Store store(path(), Store::Access::create);
    NewEntry entry;
    entry.entry.started_at = "2026-11-01T00:00:00Z";
    entry.document = "{}";
    for (int i = 0; i < 1000; ++i)
      entry.medians.push_back({"cell/" + std::to_string(i), model::Metric::latency, {1e-3, 2e-3}});
    store.add({entry});
  }

  void expect_refused(const std::string& word) const {
    const std::string before = bytes();
    for (const auto access : {Store::Access::existing, Store::Access::create}) {
      const std::string refused = test::refusal([&] { Store store(path(), access); });
      EXPECT_NE(refused.find(word), std::string::npos) << refused;
    }
    EXPECT_EQ(bytes(), before);
    EXPECT_EQ(folder_.entries(), 1) << "a journal was left beside it";
  }

  test::TemporaryFolder folder_;
};

TEST_F(HistoryFile, MayBeAbsentOrEmptyWhereItIsToBeMade) {
  EXPECT_EQ(inspect_file(path()), FileState::absent);
  EXPECT_THROW(Store(path(), Store::Access::existing), InputError);
  EXPECT_FALSE(std::filesystem::exists(path()));
  write("");
  EXPECT_EQ(inspect_file(path()), FileState::absent);
  make_history();
  EXPECT_EQ(inspect_file(path()), FileState::ours);
}

TEST_F(HistoryFile, RefusesWhatIsNoHistory) {
  for (const std::string& text : {"# notes\n" + std::string(4096, 'x'), std::string("SQLite format 3")}) {
    write(text);
    expect_refused("not a SQLite file");
  }
  std::filesystem::remove(path());
  execute("CREATE TABLE bookmarks(url TEXT); INSERT INTO bookmarks VALUES('x')");
  expect_refused("another program's");
}

TEST_F(HistoryFile, RefusesANewerSchemaAndOneThatLacksATable) {
  make_history();
  const std::string whole = bytes();
  execute("DROP TABLE medians");
  expect_refused("tables are missing");
  write(whole);
  execute("PRAGMA user_version = 2");
  expect_refused("version 2");
}

TEST_F(HistoryFile, RefusesATruncatedFile) {
  make_history();
  const auto size = std::filesystem::file_size(path());
  ASSERT_GT(size, 8U * 4096U);
  for (const auto kept : {size - 1, size - 4096, size / 2, std::uintmax_t{5000}, std::uintmax_t{200}}) {
    SCOPED_TRACE(kept);
    const std::string whole = bytes();
    std::filesystem::resize_file(path(), kept);
    expect_refused("damaged");
    write(whole);
  }
}

TEST_F(HistoryFile, RefusesOverwrittenPages) {
  make_history();
  std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
  for (int page = 3; page < 8; ++page) {
    file.seekp(page * 4096);
    file << std::string(4096, '\x5a');
  }
  file.close();
  expect_refused("damaged");
}

// A history that cannot be read is not called damaged, or a user would replace it by a copy. A folder in the
// journal's place acts like a dead writer's journal in a folder without write permission, also for root.
TEST_F(HistoryFile, IsNotCalledDamagedWhereItOnlyCannotBeReached) {
  make_history();
  const std::string whole = bytes();
  std::filesystem::create_directory(path() + "-journal");
  try {
    Store(path(), Store::Access::existing);
    ADD_FAILURE() << "opened";
  } catch (const std::exception& error) {
    EXPECT_EQ(std::string(error.what()).find("damaged"), std::string::npos) << error.what();
    EXPECT_NE(dynamic_cast<const Error*>(&error), nullptr) << error.what();
  }
  EXPECT_EQ(bytes(), whole);
}

TEST_F(HistoryFile, RefusesAFolder) {
  std::filesystem::create_directory(path());
  EXPECT_THROW(inspect_file(path()), InputError);
}

TEST_F(HistoryFile, RefusesADocumentThatIsNotTheOneAdded) {
  make_history();
  for (const char* damage : {"UPDATE entries SET document = x'00112233'",
                             "UPDATE entries SET document_bytes = -1", "UPDATE entries SET digest = 'f00'"}) {
    execute(damage);
    Store store(path(), Store::Access::existing);
    EXPECT_EQ(store.list().size(), 1U);
    const std::string refused = test::refusal([&] { store.document(1); });
    EXPECT_NE(refused.find("the history is damaged (entry 1"), std::string::npos)
        << damage << ": " << refused;
    EXPECT_NE(refused.find(path()), std::string::npos) << refused;
  }
}

// The length is looked at before the memory is taken.
TEST_F(HistoryFile, RefusesADocumentThatUnpacksToMoreThanADocumentMayHave) {
  make_history();
  execute("UPDATE entries SET document_bytes = 1073741825");
  Store store(path(), Store::Access::existing);
  EXPECT_NE(test::refusal([&] { store.document(1); }).find("cannot have a length of 1073741825 bytes"),
            std::string::npos);
}

}  // namespace
}  // namespace graphbench::judge
