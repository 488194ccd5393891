// Tests the names by which people choose a metric: its column, its path, or the end of its path.
#include "harness/model/metrics.hpp"

#include <gmock/gmock.h>

#include <set>

#include "tests/support/refusal.hpp"

namespace graphbench::model {
namespace {

using testing::HasSubstr;

TEST(MetricPaths, AreAllDifferentAndSayWhereTheNumberStands) {
  std::set<std::string> paths;
  for (const MetricRow& row : metrics()) EXPECT_TRUE(paths.insert(path_of(row)).second) << path_of(row);
  for (const char* path : {"launches[].latency_seconds", "launches[].setup.capture_seconds",
                           "launches[].sustained.latency_seconds", "graph.pieces", "counters.pieces",
                           "training.evaluation.latency_seconds", "setup_seconds"})
    EXPECT_TRUE(paths.contains(path)) << path;
}

TEST(MetricPaths, AreNamedByColumnPathOrTheEndOfOne) {
  const auto rows = metrics_named("--columns", {"latency", "graph.pieces", "sustained.latency_seconds"});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(path_of(*rows[0]), "launches[].latency_seconds");
  EXPECT_EQ(path_of(*rows[1]), "graph.pieces");
  EXPECT_EQ(path_of(*rows[2]), "launches[].sustained.latency_seconds");
  EXPECT_EQ(heading_of(*rows[0]), "latency");
  EXPECT_EQ(heading_of(*rows[1]), "pieces");
}

TEST(MetricPaths, OfNoneOrSeveralAreRefused) {
  const auto refusal = [](const std::string& word) {
    return test::refusal([&] { metrics_named("--columns", {word}); });
  };
  EXPECT_THAT(refusal("latncy"), HasSubstr("did you mean \"latency\"?"));
  EXPECT_THAT(refusal(""), HasSubstr("is not a column or metric"));
  EXPECT_EQ(refusal("pieces"),
            "--columns: \"pieces\" matches several metrics: give one of graph.pieces, counters.pieces");
}

}  // namespace
}  // namespace graphbench::model
