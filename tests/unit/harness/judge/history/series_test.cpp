// Tests which points belong to a series, and where it changes: known steps, noise, outliers.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "harness/judge/history/history.hpp"
#include "tests/support/repetitions.hpp"

namespace graphbench::judge {
namespace {

// Almost normal noise of logarithms of times: a sum of uniforms, the same with every standard library.
class SeriesNoise {
 public:
  explicit SeriesNoise(std::uint64_t seed) : random_(seed) {}
  double next(double sigma) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random_() >> 11) * 0x1p-53;
    return sum * sigma;
  }

 private:
  std::mt19937_64 random_;
};

struct Level {
  std::size_t count;
  double value;
};

std::vector<double> series(std::uint64_t seed, double sigma, const std::vector<Level>& levels) {
  SeriesNoise noise(seed);
  std::vector<double> values;
  for (const Level& level : levels) {
    for (std::size_t i = 0; i < level.count; ++i) values.push_back(level.value + noise.next(sigma));
  }
  return values;
}

std::vector<std::int64_t> indices(const Findings& findings) {
  std::vector<std::int64_t> found;
  for (const ChangePoint& change : findings.changes) found.push_back(change.index);
  return found;
}

TEST(ChangePoints, FindsStepsWhereTheyAre) {
  using Indices = std::vector<std::int64_t>;
  const auto found = [](std::uint64_t seed, const std::vector<Level>& levels) {
    return indices(find_changes(series(seed, 0.01, levels), {}));
  };
  EXPECT_EQ(found(1, {{20, 0.0}, {20, 0.05}}), Indices{20}) << "a rise";
  EXPECT_EQ(found(2, {{15, 0.0}, {25, -0.05}}), Indices{15}) << "a fall";
  EXPECT_EQ(found(3, {{20, 0.0}, {15, 0.08}, {25, 0.02}}), (Indices{20, 35})) << "several, in order";
  EXPECT_EQ(found(4, {{20, 0.0}, {10, 0.06}, {20, 0.0}}), (Indices{20, 30})) << "a level that returns";
}

TEST(ChangePoints, IsNotFooledByOneOutlier) {
  auto values = series(5, 0.01, {{40, 0.0}});
  values[17] = 3.0;
  EXPECT_TRUE(find_changes(values, {}).changes.empty());
}

TEST(ChangePoints, SaysTheSameEveryTime) {
  const auto values = series(6, 0.02, {{20, 0.0}, {20, 0.03}});
  const auto once = find_changes(values, {}).changes;
  const auto again = find_changes(values, {}).changes;
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].p, again[i].p);
}

TEST(ChangePoints, FindsNothingWhereThereIsNothingToDivide) {
  EXPECT_TRUE(find_changes({}, {}).changes.empty());
  EXPECT_TRUE(find_changes({1.0}, {}).changes.empty());
  EXPECT_TRUE(find_changes(std::vector<double>(50, 0.25), {}).changes.empty());
  EXPECT_TRUE(find_changes({0, 0, 0, 1, 1, 1}, {}).changes.empty());  // 2 of 20 orders divide as well
}

TEST(ChangePoints, SaysHowManyValuesATestNeeds) {
  const std::int64_t needed = values_min({});
  EXPECT_EQ(needed, 11);  // 2 of C(11, 5) = 462 orders divide as well; at 10 values the drawn p exceeds 1 %
  ChangePointOptions loose;
  loose.alpha = 0.2;
  EXPECT_EQ(values_min(loose), 6);
}

// `show` tells people to wait for values_min() values: from then on an obvious step is found, never before.
TEST(ChangePoints, FindsAPerfectStepInNoFewerValuesThanItSays) {
  const auto step = [](std::int64_t count) {
    return series(
        7, 0.0001,
        {{static_cast<std::size_t>(count / 2), 0.0}, {static_cast<std::size_t>(count - count / 2), 0.7}});
  };
  const std::int64_t needed = values_min({});
  EXPECT_TRUE(find_changes(step(needed - 1), {}).changes.empty());
  for (std::int64_t count = needed; count < needed + 10; ++count)
    EXPECT_EQ(indices(find_changes(step(count), {})), std::vector<std::int64_t>{count / 2}) << count;
}

// A step of five sigmas with six values after it; tests/simulation has the rates of false findings.
TEST(ChangePoints, FindsAlmostEveryStepOfFiveSigmas) {
  int found = 0;
  constexpr int all = test::repetitions(100);
  for (int seed = 0; seed < all; ++seed) {
    const std::vector<double> made = series(static_cast<std::uint64_t>(seed), 0.01, {{18, 0.0}, {6, 0.05}});
    for (const std::int64_t index : indices(find_changes(made, {})))
      found += std::abs(index - 18) <= 1 ? 1 : 0;
  }
  RecordProperty("found", found);
  EXPECT_GE(found, all * 97 / 100);
}

TEST(ChangePoints, CorrelationIsThatAroundTheLevels) {
  constexpr int each = test::sanitized ? 40 : 100;
  EXPECT_NEAR(find_changes(series(8, 0.01, {{each, 0.0}, {each, 0.2}}), {}).correlation.value(), 0, 0.15);
  EXPECT_FALSE(find_changes(std::vector<double>(30, 0.5), {}).correlation.has_value());
}

HistoryPoint point(std::int64_t id, double seconds, const std::string& fingerprint = "f",
                   const std::string& branch = "main") {
  HistoryPoint made;
  made.entry.id = id;
  made.entry.label.branch = branch;
  made.entry.fingerprint = fingerprint;
  made.median = seconds;
  return made;
}

std::vector<HistoryPoint> step() {
  std::vector<HistoryPoint> points;
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
  std::vector<HistoryPoint> points = {point(1, 1.0, "old"), point(2, 1.0), point(3, 1.0, "old"),
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
}  // namespace graphbench::judge
