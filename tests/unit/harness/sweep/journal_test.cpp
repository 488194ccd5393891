// A journal: what it keeps, who may write it, and what is done about damage.
#include "harness/sweep/journal.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::sweep {
namespace {

using testing::HasSubstr;

class JournalTest : public testing::Test {
 protected:
  JournalSettings settings() const {
    return {path, "--json", {{"plan", "a"}, {"binary", "b"}}, {"node1", "GPU-1"}};
  }
  std::string refusal(const JournalSettings& with) const {
    return test::refusal([&] { return Journal(with).finished().size(); });
  }
  void keep_two() const {
    Journal journal(settings());
    journal.append({"one", {"node1", "GPU-1"}, 1.5, {"event \"x\"", "event y"}});
    journal.append({"two", {"node1", "GPU-1"}, 2.5, {}});
  }
  void overwrite(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }

  const test::TemporaryFolder folder;
  const std::string path = folder.file("r.json.partial");
};

TEST_F(JournalTest, KeepsFinishedTasksInTheirOrder) {
  keep_two();
  const Journal journal(settings());
  ASSERT_EQ(journal.finished().size(), 2u);
  EXPECT_EQ(journal.finished()[0].id, "one");
  EXPECT_EQ(journal.finished()[0].on, (model::MeasuredOn{.hostname = "node1", .uuid = "GPU-1"}));
  EXPECT_EQ(journal.finished()[0].worker_seconds, 1.5);
  EXPECT_THAT(journal.finished()[0].events, testing::ElementsAre("event \"x\"", "event y"));
  EXPECT_EQ(journal.said(), "");
}

TEST_F(JournalTest, ASecondWriterIsRefusedByName) {
  const Journal first(settings());
  JournalSettings other = settings();
  other.identity[0].second = "another plan";
  EXPECT_THAT(refusal(other),
              HasSubstr("is being written by process " + std::to_string(getpid()) + " on node1"));
}

TEST_F(JournalTest, ALastLineThatIsNotWholeIsDroppedAndSaid) {
  keep_two();
  const std::string whole = test::read_file(path);
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  std::string flipped = whole;
  flipped[flipped.size() - 5] ^= 1;
  for (const std::string& damaged :
       {whole.substr(0, last + 1), whole.substr(0, whole.size() - 1), whole.substr(0, last + 40), flipped}) {
    overwrite(damaged);
    Journal journal(settings());
    EXPECT_EQ(journal.finished().size(), 1u);
    EXPECT_THAT(journal.said(), HasSubstr("its last line, 3, is not whole"));
    journal.append({"three", {}, 0, {}});
    EXPECT_EQ(test::read_file(path).substr(0, last), whole.substr(0, last));
  }
  EXPECT_EQ(Journal(settings()).finished().back().id, "three") << "it is written behind what is whole";
}

TEST_F(JournalTest, DamageElsewhereIsRefusedAndLeftAsItIs) {
  keep_two();
  const std::string whole = test::read_file(path);
  for (const std::size_t at : {std::size_t{3}, std::size_t{60}, whole.find("one")}) {
    std::string damaged = whole;
    damaged[at] ^= 1;
    overwrite(damaged);
    EXPECT_THAT(refusal(settings()), HasSubstr("is damaged in line ")) << at;
    EXPECT_EQ(test::read_file(path), damaged);
  }
}

TEST_F(JournalTest, OfAnotherPlanOrBinaryItIsRefused) {
  keep_two();
  const std::string whole = test::read_file(path);
  for (const std::size_t part : {0u, 1u}) {
    JournalSettings other = settings();
    other.identity[part].second = "c";
    EXPECT_THAT(refusal(other), HasSubstr("is of another " + other.identity[part].first));
    EXPECT_EQ(test::read_file(path), whole);
  }
  overwrite(whole.substr(0, whole.find('\n') + 1));
  JournalSettings of_nothing = settings();
  of_nothing.identity[0].second = "c";
  EXPECT_EQ(refusal(of_nothing), "accepted") << "it held nothing";
  overwrite(whole);
  JournalSettings over = settings();
  over.identity[0].second = "c";
  over.start_over = true;
  const Journal journal(over);
  EXPECT_TRUE(journal.finished().empty());
  EXPECT_THAT(journal.said(), HasSubstr("all is measured again"));
}

TEST_F(JournalTest, AFileOfSomeoneElseIsNotCut) {
  overwrite("notes of mine");
  EXPECT_THAT(refusal(settings()), HasSubstr("is not a journal"));
  EXPECT_EQ(test::read_file(path), "notes of mine");
}

// RLIMIT_FSIZE makes write() fail part-way, as a full disk does.
TEST_F(JournalTest, IsNotLeftEmptyWhereItCannotBeBegun) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 10;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = test::error_of([&] { Journal{settings()}; }).what();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(error, HasSubstr("write the journal"));
  EXPECT_EQ(folder.entries(), 0);
}

TEST_F(JournalTest, IsGoneOnceItIsRemovedOrWhereItHoldsNothing) {
  keep_two();
  Journal(settings()).remove();
  EXPECT_EQ(folder.entries(), 0);
  EXPECT_TRUE(Journal(settings()).finished().empty());
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace graphbench::sweep
