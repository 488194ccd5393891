// Which points make a series, and how large its changes are.
#include "harness/history/series.hpp"

#include <gtest/gtest.h>

namespace graphbench::history {
namespace {

model::HistoryPoint point(std::int64_t id, double seconds, const std::string& fingerprint = "f",
                          const std::string& branch = "main") {
  model::HistoryPoint made;
  made.entry.id = id;
  made.entry.label.branch = branch;
  made.entry.fingerprint = fingerprint;
  made.median = seconds;
  return made;
}

// 20 at about 1 ms, then 20 at about 1.1 ms, with a little life in them.
std::vector<model::HistoryPoint> step() {
  std::vector<model::HistoryPoint> points;
  for (int i = 0; i < 40; ++i) points.push_back(point(i + 1, (i < 20 ? 1e-3 : 1.1e-3) + i % 3 * 1e-6));
  return points;
}

TEST(Series, SaysHowLargeAChangeIs) {
  const auto history = make_series("c", model::Metric::latency, step(), {});
  ASSERT_EQ(history.changes.size(), 1U);
  EXPECT_EQ(history.changes[0].index, 20);
  EXPECT_NEAR(history.changes[0].ratio, 1.1, 0.001);
  EXPECT_LE(history.changes[0].p, 0.01);
}

TEST(Series, KeepsToTheLatestPointsEnvironment) {
  std::vector<model::HistoryPoint> points = {point(1, 1.0, "old"), point(2, 1.0), point(3, 1.0, "old"),
                                             point(4, 1.0)};
  const auto history = make_series("c", model::Metric::latency, points, {});
  ASSERT_EQ(history.points.size(), 2U);
  EXPECT_EQ(history.points[0].entry.id, 2);
  EXPECT_EQ(history.left_out, 2);
  SeriesOptions all;
  all.every_environment = true;
  EXPECT_EQ(make_series("c", model::Metric::latency, points, all).points.size(), 4U);
}

TEST(Series, KeepsToABranch) {
  SeriesOptions options;
  options.branch = "topic";
  const auto history = make_series("c", model::Metric::latency,
                                   {point(1, 1.0), point(2, 1.0, "f", "topic"), point(3, 1.0)}, options);
  ASSERT_EQ(history.points.size(), 1U);
  EXPECT_EQ(history.points[0].entry.id, 2);
}

TEST(Series, ShowsTheLastPointsAndCountsTheOthers) {
  SeriesOptions options;
  options.last = 15;
  const auto history = make_series("c", model::Metric::latency, step(), options);
  EXPECT_EQ(history.points.size(), 15U);
  EXPECT_EQ(history.points.front().entry.id, 26);
  EXPECT_EQ(history.older, 25);
  EXPECT_TRUE(history.changes.empty());
}

TEST(Series, MayBeEmpty) {
  const auto history = make_series("c", model::Metric::latency, {}, {});
  EXPECT_TRUE(history.points.empty());
  EXPECT_TRUE(history.changes.empty());
}

}  // namespace
}  // namespace graphbench::history
