// Tests a journal: what it keeps, who may write it, damage, and what must be equal to continue with it.
#include "harness/sweep/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "harness/sweep/identity.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/sample_plan.hpp"
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
    EXPECT_THAT(journal.said(), HasSubstr("the last line, 3, is incomplete"));
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
    EXPECT_THAT(refusal(other), HasSubstr("belongs to another " + other.identity[part].first));
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
  EXPECT_THAT(journal.said(), HasSubstr("everything is measured again"));
}

TEST_F(JournalTest, AFileOfSomeoneElseIsNotCut) {
  for (const std::string notes : {"notes of mine", "abc", "0123456789abcdef", "0123456789abcdef {\"event"}) {
    overwrite(notes);
    EXPECT_THAT(refusal(settings()), HasSubstr("is not a graphbench journal"));
    EXPECT_EQ(test::read_file(path), notes);
  }
}

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

std::string part(const RunIdentity& identity, const std::string& name) {
  for (const auto& [each, value] : identity) {
    if (each == name) return value;
  }
  return "absent";
}

TEST(Identity, IsOfThePlanAndTheKindOfDevice) {
  model::Plan plan = test::sample_plan({test::sample_task("eager", {1, 2})});
  model::DeviceFacts facts{};
  const RunIdentity first = identity_of(plan, facts, {});
  facts.uuid = "GPU-1";
  plan.tasks[0].device = "cuda:1";
  plan.tasks[0].settings.instruments.submitter.emplace();
  EXPECT_EQ(first, identity_of(plan, facts, {})) << "another device of the same kind goes on";
  facts.driver = "570";
  EXPECT_NE(part(first, "kind of device"), part(identity_of(plan, facts, {}), "kind of device"));
  plan.tasks[0].settings.sampling.samples_max = 7;
  EXPECT_NE(part(first, "plan"), part(identity_of(plan, facts, {}), "plan"));
}

TEST(Identity, IsOfWhatPluginsHold) {
  const test::TemporaryFolder folder;
  const std::string one = folder.write("a/p.so", "code");
  const std::string same = folder.write("b/p.so", "code");
  EXPECT_EQ(plugins_digest({one}), plugins_digest({same}));
  const std::string before = plugins_digest({one});
  folder.write("a/p.so", "other code");
  EXPECT_NE(before, plugins_digest({one}));
  EXPECT_EQ(binary_digest(), binary_digest());
}

using namespace test;

const model::MeasuredOn here{"node1", "GPU-1"};
const model::MeasuredOn there{"node1", "GPU-2"};
const model::WorkerTask eager = sample_task("eager", {1, 2});
const model::WorkerTask whole = sample_task("whole", {1, 2});

FinishedTask finished(const model::WorkerTask& task, const model::MeasuredOn& on = here) {
  return {task_id(task), on, 0, {}};
}

std::vector<std::string> left(const model::Plan& plan, const std::vector<FinishedTask>& done) {
  const Remainder remainder = remainder_of(plan, done, here);
  EXPECT_EQ(remainder.tasks.size() + remainder.taken_over.size(), plan.tasks.size());
  std::vector<std::string> modes;
  for (const model::WorkerTask& task : remainder.tasks) modes.push_back(task.mode);
  return modes;
}

using Modes = std::vector<std::string>;

TEST(Remainder, IsAllWhereNothingIsFinished) {
  EXPECT_EQ(left(sample_plan({eager, whole}), {}), (Modes{"eager", "whole"}));
}

TEST(Remainder, LeavesOutATaskThatIsFinished) {
  EXPECT_EQ(left(sample_plan({eager, whole}), {finished(whole)}), Modes{"eager"});
}

TEST(Remainder, TakesTasksOverByLaunch) {
  const model::WorkerTask again = sample_task("whole", {1, 2}, 1);
  const model::Plan plan = sample_plan({eager, whole, again});
  EXPECT_EQ(left(plan, {finished(whole)}), (Modes{"eager", "whole"}));
  EXPECT_EQ(remainder_of(plan, {finished(again)}, here).tasks.back().launch, 0);
}

TEST(Remainder, IsNotMisledByTasksOfAnotherPlan) {
  EXPECT_EQ(left(sample_plan({eager}), {finished(whole)}), Modes{"eager"});
}

TEST(Remainder, TakesAnotherDevicesGroupsOverAsAWholeAlone) {
  EXPECT_EQ(left(sample_plan({eager, whole}), {finished(eager, there), finished(whole, there)}), Modes{});
  EXPECT_EQ(left(sample_plan({eager, whole}), {finished(eager, there)}), (Modes{"eager", "whole"}));
  EXPECT_EQ(left(sample_plan({eager, whole}), {finished(eager, there), finished(whole)}), Modes{"eager"});
  model::WorkerTask other = eager;
  other.warmup = 3;
  EXPECT_EQ(left(sample_plan({eager, whole, other}), {finished(other, there), finished(eager, there)}),
            (Modes{"eager", "whole"}));
}

TEST(Remainder, CountsTheLaterOfTwo) {
  EXPECT_EQ(left(sample_plan({eager, whole}), {finished(eager, there), finished(eager, here)}),
            Modes{"whole"});
}

}  // namespace
}  // namespace graphbench::sweep
