// Tests that the store returns what was added, in order, once, and also after it is opened again.
#include "harness/judge/history/store.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace graphbench::judge {
namespace {

NewEntry sample(const std::string& started_at, double seconds, const std::string& branch = "main") {
  NewEntry entry;
  entry.entry.label = {"0123abc", branch, ""};
  entry.entry.started_at = started_at;
  entry.entry.fingerprint = "f1";
  entry.entry.plan_hash = "p1";
  entry.entry.device = "a device";
  entry.entry.tool_version = "0.1.0";
  entry.entry.cells = 1;
  entry.entry.launches = 3;
  entry.document = "{\"started_at\": \"" + started_at + "\"}\n";
  entry.medians = {{"mlp/x", model::Metric::latency, {seconds, seconds * 1.2, seconds * 1.1}},
                   {"mlp/x", model::Metric::submit, {seconds / 2}}};
  return entry;
}

class StoreTest : public testing::Test {
 protected:
  std::string path() const { return folder_.file("history.sqlite"); }
  test::TemporaryFolder folder_;
};

TEST_F(StoreTest, KeepsWhatWasAdded) {
  {
    Store store(path(), Store::Access::create);
    const auto added = store.add({sample("2026-11-01T00:00:00Z", 1e-3)});
    ASSERT_EQ(added.size(), 1U);
    EXPECT_EQ(added[0].id, 1);
    EXPECT_FALSE(added[0].was_there);
  }
  Store store(path(), Store::Access::existing);
  const auto entries = store.list();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].label.commit, "0123abc");
  EXPECT_EQ(entries[0].label.branch, "main");
  EXPECT_EQ(entries[0].fingerprint, "f1");
  EXPECT_EQ(entries[0].plan_hash, "p1");
  EXPECT_EQ(entries[0].device, "a device");
  EXPECT_TRUE(entries[0].complete);
  EXPECT_EQ(entries[0].launches, 3);
  EXPECT_EQ(store.document(1), "{\"started_at\": \"2026-11-01T00:00:00Z\"}\n");
}

TEST_F(StoreTest, GivesTheMedianOverLaunchesAndTheirRange) {
  Store store(path(), Store::Access::create);
  store.add({sample("2026-11-01T00:00:00Z", 1.0)});
  const auto points = store.points("mlp/x", model::Metric::latency);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_DOUBLE_EQ(points[0].median, 1.1);
  EXPECT_DOUBLE_EQ(points[0].lowest, 1.0);
  EXPECT_DOUBLE_EQ(points[0].highest, 1.2);
  EXPECT_EQ(points[0].launches, 3);
  EXPECT_TRUE(store.points("mlp/x", model::Metric::device).empty());
  EXPECT_TRUE(store.points("mlp/y", model::Metric::latency).empty());
}

TEST_F(StoreTest, OrdersByTimeOfMeasurementNotOfAdding) {
  Store store(path(), Store::Access::create);
  store.add({sample("2026-11-03T00:00:00Z", 3e-3), sample("2026-11-01T00:00:00Z", 1e-3)});
  store.add({sample("2026-11-02T00:00:00Z", 2e-3)});
  const auto points = store.points("mlp/x", model::Metric::submit);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[0].entry.id, 2);
  EXPECT_EQ(points[1].entry.id, 3);
  EXPECT_EQ(points[2].entry.id, 1);
  EXPECT_EQ(store.list().front().id, 2);
}

TEST_F(StoreTest, KeepsADocumentOnce) {
  Store store(path(), Store::Access::create);
  const NewEntry entry = sample("2026-11-01T00:00:00Z", 1e-3);
  store.add({entry});
  const auto again = store.add({entry, sample("2026-11-02T00:00:00Z", 1e-3), entry});
  EXPECT_TRUE(again[0].was_there);
  EXPECT_EQ(again[0].id, 1);
  EXPECT_FALSE(again[1].was_there);
  EXPECT_TRUE(again[2].was_there);
  EXPECT_EQ(store.list().size(), 2U);
}

TEST_F(StoreTest, FiltersByBranch) {
  Store store(path(), Store::Access::create);
  store.add({sample("2026-11-01T00:00:00Z", 1e-3), sample("2026-11-02T00:00:00Z", 1e-3, "topic")});
  EXPECT_EQ(store.list().size(), 2U);
  EXPECT_EQ(store.list("topic").size(), 1U);
  EXPECT_EQ(store.list("other").size(), 0U);
}

TEST_F(StoreTest, AddsAllOrNothing) {
  Store store(path(), Store::Access::create);
  NewEntry broken = sample("2026-11-02T00:00:00Z", 1e-3);
  broken.medians.push_back(broken.medians.front());  // the same launch twice: the table refuses it
  EXPECT_ANY_THROW(store.add({sample("2026-11-01T00:00:00Z", 1e-3), broken}));
  EXPECT_TRUE(store.list().empty());
  EXPECT_TRUE(store.points("mlp/x", model::Metric::latency).empty());
  store.add({sample("2026-11-03T00:00:00Z", 1e-3)});
  EXPECT_EQ(store.list().size(), 1U);
}

TEST_F(StoreTest, LeavesOneFileBehind) {
  Store(path(), Store::Access::create).add({sample("2026-11-01T00:00:00Z", 1e-3)});
  EXPECT_EQ(folder_.entries(), 1);
}

TEST_F(StoreTest, KeepsBytesThatAreNoText) {
  Store store(path(), Store::Access::create);
  NewEntry entry = sample("2026-11-01T00:00:00Z", 1e-3);
  entry.document = std::string("a\0b", 3) + std::string(100'000, 'x');
  store.add({entry});
  EXPECT_EQ(store.document(1), entry.document);
  EXPECT_ANY_THROW(store.document(2));
}

}  // namespace
}  // namespace graphbench::judge
