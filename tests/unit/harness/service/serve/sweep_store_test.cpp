// What the store keeps, in which order it gives it out, and what a restart makes of it.
#include "harness/service/serve/sweep_store.hpp"

#include <gtest/gtest.h>

#include "graphs/ir/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/harness/service/serve/unwritable.hpp"

namespace graphbench::serve {
namespace {

using What = SweepStore::Added::What;

class SweepStoreTest : public testing::Test {
 protected:
  std::string add(const std::string& argument) { return store().add({argument}, "", 10).sweep.id; }
  SweepStore& store() {
    if (!store_) store_ = std::make_unique<SweepStore>(folder_.file("sweeps.sqlite"));
    return *store_;
  }
  void restart() { store_.reset(); }
  std::string file() const { return folder_.file("sweeps.sqlite"); }
  // What the database refuses from here on, as it would where its disk is full.
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
  EXPECT_EQ(taken->arguments, std::vector<std::string>{"--batch=1"});
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

TEST_F(SweepStoreTest, WhatWasKeptOutlivesAnInterruptionAndNoOtherEnd) {
  const std::string cut = add("a");
  const std::string done = add("b");
  for (const std::string& id : {cut, done}) {
    store().take();
    store().add_cells(id, {{"one", "{}", "line 1"}, {"two", "{}", "line 2"}});
  }
  store().add_cells(cut, {{"one", "{\"later\": 1}", "line 3"}});
  store().end(done, {SweepState::done, 0, "", "{}"});
  restart();
  EXPECT_EQ(store().kept(cut), (std::vector<std::string>{"line 3", "line 2"}));
  EXPECT_TRUE(store().kept(done).empty());
  store().end(cut, {SweepState::interrupted, 130, "", std::nullopt});
  EXPECT_EQ(store().kept(cut).size(), 2u);
}

TEST_F(SweepStoreTest, AnEndIsStoredAsAWholeOrNotAtAll) {
  const std::string id = add("a");
  store().take();
  store().add_cells(id, {{"one", "{}", "line"}});
  refuse("DELETE ON kept");
  EXPECT_THROW(store().end(id, {SweepState::done, 0, "", "{}"}), Error);
  EXPECT_EQ(store().find(id)->state, SweepState::running);
  EXPECT_EQ(store().kept(id).size(), 1u);
  store().end(id, {SweepState::interrupted, 130, "", "{}", "2026-01-02T03:04:05Z"});
  EXPECT_EQ(store().find(id)->finished_at, "2026-01-02T03:04:05Z") << "no transaction is left open";
}

TEST_F(SweepStoreTest, ADocumentIsGivenOutOnceItsSweepHasEndedAndUntilItRunsAgain) {
  const std::string id = add("a");
  store().take();
  store().end(id, {SweepState::interrupted, 130, "", "partly"});
  EXPECT_EQ(store().result(id), "partly");
  EXPECT_TRUE(store().resume(id));
  EXPECT_FALSE(store().result(id));
  EXPECT_TRUE(store().cancel(id));
  EXPECT_EQ(store().result(id), "partly") << "it did not run again";
  const std::string other = add("b");
  store().take();
  store().end(other, {SweepState::interrupted, 130, "", "partly"});
  store().resume(other);
  store().take();
  EXPECT_FALSE(store().result(other));
  store().end(other, {SweepState::failed, std::nullopt, "crashed", std::nullopt});
  EXPECT_FALSE(store().result(other)) << "an earlier run's document is not this one's";
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

TEST_F(SweepStoreTest, AFileThatWasRemovedIsToldOf) {
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
  EXPECT_EQ(store().take()->id, good) << "it holds up nobody";
  EXPECT_EQ(store().queued(), 0u);
  EXPECT_FALSE(store().find(bad)->finished_at.empty());
}

TEST_F(SweepStoreTest, NobodyElseReadsItsFiles) {
  add("a");
  for (const char* end : {"", "-wal", "-shm"}) {
    EXPECT_EQ(std::filesystem::status(file() + end).permissions(), std::filesystem::perms(0600)) << end;
  }
}

TEST_F(SweepStoreTest, AFullQueueTakesNoMore) {
  for (int i = 0; i < 2; ++i) EXPECT_EQ(store().add({}, "", 2).what, What::added);
  EXPECT_EQ(store().add({}, "", 2).what, What::full);
  store().take();
  EXPECT_EQ(store().add({}, "", 2).what, What::added) << "what runs is not queued";
}

TEST_F(SweepStoreTest, AKeyThatCameBeforeIsTheSameSweep) {
  const auto first = store().add({"a"}, "key", 1);
  restart();
  const auto again = store().add({"a"}, "key", 1);
  EXPECT_EQ(again.what, What::known) << "even where the queue is full";
  EXPECT_EQ(again.sweep.id, first.sweep.id);
  EXPECT_TRUE(again.same);
  EXPECT_FALSE(store().add({"b"}, "key", 1).same);
  EXPECT_EQ(store().list(9, {}).size(), 1u);
}

TEST_F(SweepStoreTest, OnlyWhatIsQueuedIsCancelledHere) {
  const std::string running = add("a");
  const std::string queued = add("b");
  store().take();
  EXPECT_FALSE(store().cancel(running));
  EXPECT_TRUE(store().cancel(queued));
  EXPECT_FALSE(store().cancel(queued));
  EXPECT_FALSE(store().cancel("nobody"));
  EXPECT_FALSE(store().take());
}

TEST_F(SweepStoreTest, TextIsKeptAsItIs) {
  const std::string odd = "'; DROP TABLE sweeps; --\n\"\xc3\xa4";
  const std::string id = add(odd);
  restart();
  EXPECT_EQ(store().find(id)->arguments.front(), odd);
  EXPECT_FALSE(store().find("' OR 1=1 --"));
}

TEST(SweepStore, AFileThatIsNoDatabaseIsAnError) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(SweepStore(folder.path()), Error);
}

}  // namespace
}  // namespace graphbench::serve
