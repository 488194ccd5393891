// Tests what the store keeps, in which order it returns sweeps, and what a restart does with them.
#include "harness/service/serve/sweep_store.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/harness/service/serve/unwritable.hpp"

namespace graphbench::service {
namespace {

using What = SweepStore::Added::What;

class SweepStoreTest : public testing::Test {
 protected:
  std::string add(const std::string& argument) { return store().add({{}, {argument}}, "", 10).sweep.id; }
  SweepStore& store() {
    if (!store_) store_ = std::make_unique<SweepStore>(folder_.file("sweeps.sqlite"));
    return *store_;
  }
  void restart() { store_.reset(); }
  std::string file() const { return folder_.file("sweeps.sqlite"); }
  // From here on the database refuses this change, as it would if its disk were full.
  void refuse(const std::string& change) const {
    by_hand("CREATE TRIGGER no BEFORE " + change + " BEGIN SELECT raise(ABORT, 'full'); END");
  }
  void by_hand(const std::string& sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  }

 private:
  test::TemporaryFolder folder_;
  std::unique_ptr<SweepStore> store_;
};

TEST_F(SweepStoreTest, SweepsRunInTheOrderTheyCame) {
  const std::string first = add("--batch=1");
  const std::string second = add("--batch=2");
  const auto taken = store().take();
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->id, first);
  EXPECT_EQ(taken->state, SweepState::running);
  EXPECT_EQ(taken->asked.options, std::vector<std::string>{"--batch=1"});
  EXPECT_FALSE(taken->started_at.empty());
  EXPECT_EQ(store().take()->id, second);
  EXPECT_FALSE(store().take());
  EXPECT_EQ(store().list(9, {}).front().id, second) << "the newest is listed first";
}

TEST_F(SweepStoreTest, ARestartFindsWhatWasQueuedDoneAndCutShort) {
  const std::string done = add("a");
  const std::string cut = add("b");
  const std::string queued = add("c");
  store().take();
  store().end(done, {SweepState::done, 3, "", "{\"a\": \"b\"}"});
  store().take();
  restart();
  EXPECT_EQ(store().find(done)->state, SweepState::done);
  EXPECT_EQ(store().find(done)->exit_code, 3);
  EXPECT_EQ(store().result(done), "{\"a\": \"b\"}");
  EXPECT_EQ(store().find(cut)->state, SweepState::interrupted);
  EXPECT_FALSE(store().result(cut));
  EXPECT_EQ(store().take()->id, queued);
}

TEST_F(SweepStoreTest, CellsOutliveEveryEnd) {
  const std::string cut = add("a");
  const std::string failed = add("b");
  const std::string done = add("c");
  for (const std::string& id : {cut, failed, done}) {
    store().take();
    store().add_cells(id, {{"one", "{}"}, {"two", "{}"}});
  }
  store().add_cells(cut, {{"one", "{\"later\": 1}"}});
  store().end(failed, {SweepState::failed, 1, "", std::nullopt});
  store().end(done, {SweepState::done, 0, "", "{}"});
  restart();
  for (const std::string& id : {failed, done}) EXPECT_EQ(store().cells(id, 0).size(), 2u);
  const std::vector<StoredCell> cells = store().cells(cut, 0);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[1].document, "{\"later\": 1}") << "in place of its earlier form";
}

TEST_F(SweepStoreTest, AnEndIsStoredAsAWholeOrNotAtAll) {
  const std::string id = add("a");
  store().take();
  refuse("UPDATE OF result ON sweeps");
  EXPECT_THROW(store().end(id, {SweepState::failed, 1, "", "{}"}), SqlError);
  EXPECT_EQ(store().find(id)->state, SweepState::running);
  by_hand("DROP TRIGGER no");
  store().end(id, {SweepState::interrupted, 130, "", "{}", "2026-01-02T03:04:05Z"});
  EXPECT_EQ(store().find(id)->finished_at, "2026-01-02T03:04:05Z") << "no transaction is left open";
}

TEST_F(SweepStoreTest, ADocumentIsGivenOutOnceItsSweepHasEndedAndUntilItRunsAgain) {
  const std::string id = add("a");
  store().take();
  store().end(id, {SweepState::interrupted, 130, "", R"({"partly": 1})"});
  EXPECT_EQ(store().result(id), R"({"partly": 1})");
  EXPECT_TRUE(store().resume(id));
  EXPECT_FALSE(store().result(id));
  EXPECT_TRUE(store().cancel(id));
  EXPECT_EQ(store().result(id), R"({"partly": 1})") << "it did not run again";
  const std::string other = add("b");
  store().take();
  store().end(other, {SweepState::interrupted, 130, "", R"({"partly": 1})"});
  store().resume(other);
  store().take();
  EXPECT_FALSE(store().result(other));
  store().end(other, {SweepState::failed, std::nullopt, "crashed", std::nullopt});
  EXPECT_FALSE(store().result(other)) << "an earlier run's document is not this one's";
}

TEST_F(SweepStoreTest, ARunSaysItsOwnBeginning) {
  const std::string id = add("a");
  store().take();
  EXPECT_EQ(store().began(id), "");
  store().begin(id, "event");
  EXPECT_EQ(store().began(id), "event");
  store().end(id, {SweepState::interrupted, 130, "", std::nullopt});
  store().resume(id);
  store().take();
  EXPECT_EQ(store().began(id), "") << "the earlier run's";
  EXPECT_EQ(store().began("none"), "");
}

TEST_F(SweepStoreTest, ADocumentThatIsNoJsonIsDamagedAndLeavesOthersAlone) {
  const std::string id = add("a");
  const std::string other = add("b");
  for (const std::string& each : {id, other}) {
    store().take();
    store().add_cells(each, {{"one", "{}"}});
    store().end(each, {SweepState::done, 0, "", "{}"});
  }
  for (const char* damaged :
       {"", "{", "{\"a\": [1, 2}", "{\"a\": 1} {}", "[]", "{\"a\": \"\xff\"}", "{\"a\": 1x}"}) {
    by_hand("UPDATE sweeps SET result = '" + std::string(damaged) + "' WHERE id = '" + id + "'");
    by_hand("UPDATE cells SET document = '" + std::string(damaged) + "' WHERE sweep = '" + id + "'");
    EXPECT_THROW(store().result(id), DamagedDocument) << damaged;
    EXPECT_THROW(store().cells(id, 0), DamagedDocument) << damaged;
  }
  EXPECT_EQ(store().result(other), "{}");
  EXPECT_EQ(store().cells(other, 0).size(), 1u);
}

TEST_F(SweepStoreTest, AProbeFailsWhereNothingCanBeWritten) {
  store().probe();
  restart();
  {
    store();
    const Unwritable unwritable(file());
    EXPECT_THROW(store().probe(), Error);
  }
  EXPECT_THROW(store().probe(), Error) << "it writes once a second at most";
}

TEST_F(SweepStoreTest, AProbeFailsWhereASmallWriteFitsAndASweepDoesNot) {
  add("a");
  const FullDisk full(std::filesystem::file_size(file() + "-wal") + 2 * 4096);
  EXPECT_THROW(store().probe(), Error);
  EXPECT_THROW(add("b"), Error);
}

TEST_F(SweepStoreTest, AProbeLeavesNothingThatASweepShows) {
  const std::string id = add("a");
  store().probe();
  EXPECT_TRUE(store().cells(id, 0).empty());
  EXPECT_EQ(store().list(9, {}).size(), 1u);
  EXPECT_FALSE(store().find(""));
}

TEST_F(SweepStoreTest, AFileThatWasRemovedIsNoticed) {
  add("a");
  std::filesystem::remove(file());
  EXPECT_THROW(store().probe(), Error);
  EXPECT_THROW(add("b"), Error) << "what cannot be kept is not accepted";
}

TEST_F(SweepStoreTest, ARowThatCannotBeReadIsASweepThatFailed) {
  const std::string bad = add("a");
  const std::string odd = add("b");
  const std::string good = add("c");
  by_hand("UPDATE sweeps SET arguments = '[1' WHERE id = '" + bad + "'");
  by_hand("UPDATE sweeps SET state = 'odd' WHERE id = '" + odd + "'");
  for (const std::string& id : {bad, odd}) {
    EXPECT_EQ(store().find(id)->state, SweepState::failed);
    EXPECT_NE(store().find(id)->message.find("cannot be read"), std::string::npos);
  }
  EXPECT_EQ(store().list(9, {}).size(), 3u);
  EXPECT_EQ(store().take()->id, good) << "it holds up no other";
  EXPECT_EQ(store().queued(), 0u);
  EXPECT_FALSE(store().find(bad)->finished_at.empty());
}

TEST_F(SweepStoreTest, OthersCannotReadItsFiles) {
  add("a");
  for (const char* end : {"", "-wal", "-shm"})
    EXPECT_EQ(std::filesystem::status(file() + end).permissions(), std::filesystem::perms(0600)) << end;
}

TEST_F(SweepStoreTest, AFullQueueTakesNoMore) {
  for (int i = 0; i < 2; ++i) EXPECT_EQ(store().add({}, "", 2).what, What::added);
  EXPECT_EQ(store().add({}, "", 2).what, What::full);
  store().take();
  EXPECT_EQ(store().add({}, "", 2).what, What::added) << "what runs is not queued";
}

TEST_F(SweepStoreTest, AKeyThatCameBeforeIsTheSameSweep) {
  const auto first = store().add({{}, {"a"}}, "key", 1);
  restart();
  const auto again = store().add({{}, {"a"}}, "key", 1);
  EXPECT_EQ(again.what, What::known) << "even where the queue is full";
  EXPECT_EQ(again.sweep.id, first.sweep.id);
  EXPECT_TRUE(again.same);
  EXPECT_FALSE(store().add({{}, {"b"}}, "key", 1).same);
  EXPECT_EQ(store().list(9, {}).size(), 1u);
}

TEST_F(SweepStoreTest, OnlyWhatIsQueuedIsCancelledHere) {
  const std::string running = add("a");
  const std::string queued = add("b");
  store().take();
  EXPECT_FALSE(store().cancel(running));
  EXPECT_TRUE(store().cancel(queued));
  EXPECT_FALSE(store().cancel(queued));
  EXPECT_FALSE(store().cancel("none"));
  EXPECT_FALSE(store().take());
}

TEST_F(SweepStoreTest, TextIsKeptAsItIs) {
  const std::string odd = "'; DROP TABLE sweeps; --\n\"\xc3\xa4";
  const std::string id = add(odd);
  restart();
  EXPECT_EQ(store().find(id)->asked.options.front(), odd);
  EXPECT_FALSE(store().find("' OR 1=1 --"));
}

// The tables as version 0.1.0 made them, with schema version 0.
constexpr const char* first_tables =
    "CREATE TABLE sweeps (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, state TEXT NOT "
    "NULL,"
    " arguments TEXT NOT NULL, idempotency_key TEXT UNIQUE, submitted_at TEXT NOT NULL,"
    " started_at TEXT NOT NULL DEFAULT '', finished_at TEXT NOT NULL DEFAULT '', exit_code INTEGER,"
    " message TEXT NOT NULL DEFAULT '', result TEXT);"
    "CREATE TABLE cells (number INTEGER PRIMARY KEY AUTOINCREMENT, sweep TEXT NOT NULL, cell TEXT NOT NULL,"
    " document TEXT NOT NULL, UNIQUE (sweep, cell));"
    "CREATE TABLE kept (sweep TEXT NOT NULL, cell TEXT NOT NULL, line TEXT NOT NULL,"
    " PRIMARY KEY (sweep, cell)) WITHOUT ROWID;"
    "CREATE TABLE begun (sweep TEXT PRIMARY KEY, device TEXT NOT NULL, line TEXT NOT NULL) WITHOUT ROWID;";

TEST_F(SweepStoreTest, AFileOfTheFirstVersionKeepsSweepsCellsAndResults) {
  by_hand(first_tables);
  by_hand(
      "INSERT INTO sweeps (id, state, arguments, idempotency_key, submitted_at, result)"
      " VALUES ('one', 'done', '[\"--seed=1\"]', 'key', 'then', '{}'), ('two', 'queued', '[]', NULL, 'then', "
      "NULL);"
      "INSERT INTO cells (sweep, cell, document) VALUES ('one', 'a', '{\"x\": 1}');"
      "INSERT INTO kept VALUES ('one', 'a', 'line'); INSERT INTO begun VALUES ('one', 'host', 'line')");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(store().result("one"), "{}");
    EXPECT_EQ(store().cells("one", 0).at(0).document, "{\"x\": 1}");
    EXPECT_FALSE(store().last_done());
    EXPECT_EQ(store().add({{}, {"--seed=1"}}, "key", 9).what, What::known);
    restart();
  }
  EXPECT_EQ(store().take()->id, "two");
  store().begin("two", "event");
  store().add_cells("two", {{"a", "{}"}});
  store().end("two", {SweepState::done, 0, "", "{}"});
  EXPECT_EQ(store().last_done()->id, "two");
  EXPECT_FALSE(store().last_done(store().last_done()->number)) << "the first version stored no beginning";
  EXPECT_THAT(store().cell_ids("two"), testing::ElementsAre("a"));
}

TEST_F(SweepStoreTest, AFileOfALaterVersionIsRefused) {
  add("a");
  restart();
  by_hand("PRAGMA user_version = 5");
  try {
    store();
    FAIL() << "it was opened";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "open the sweeps' database '" + file() +
                                             "': a newer graphbench wrote it (version 5): use that "
                                             "graphbench, or another --state folder");
  }
}

TEST_F(SweepStoreTest, ADamagedFileIsRefusedAndLeftAsItIs) {
  for (int i = 0; i < 100; ++i) add(std::string(1000, 'x'));
  restart();
  std::string bytes = test::read_file(file());
  bytes.replace(bytes.size() / 2, 4096, 4096, 'x');
  std::ofstream(file(), std::ios::binary) << bytes;
  EXPECT_NE(test::failure([&] { return SweepStore(file()).queued(); }).find("the database is damaged ("),
            std::string::npos);
  EXPECT_EQ(test::read_file(file()), bytes);
}

TEST(SweepStore, AFileThatIsNoDatabaseIsAnError) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(SweepStore(folder.path()), Error);
}

}  // namespace
}  // namespace graphbench::service
