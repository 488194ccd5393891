// Simulates steps whose true cost is known, such as that of kernels which compute whole tiles of rows, and
// tests what suggestions from a few measured sizes truly cost.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "harness/ladder/suggestions.hpp"

namespace graphbench::ladder {
namespace {

using Rows = std::vector<std::int64_t>;

struct Simulated {
  std::int64_t tile = 1;
  Rows rows;
  double graph(std::int64_t size) const {
    return 60e-6 + 0.6e-6 * static_cast<double>((size + tile - 1) / tile * tile);
  }
  double eager(std::int64_t size) const { return 10 * graph(size); }
  // The true mean step: a size's own cost, whether it was measured or not.
  double mean_of(const Rows& sizes) const {
    double seconds = 0;
    for (const std::int64_t each : rows) {
      const auto fits = std::ranges::lower_bound(sizes, each);
      seconds += fits == sizes.end() ? eager(each) : graph(*fits);
    }
    return seconds / static_cast<double>(rows.size());
  }
  MeasuredGroup measured(const Rows& sizes) const {
    MeasuredGroup group;
    for (const std::int64_t size : sizes) {
      group.measured.step_seconds[size] = graph(size);
      group.measured.startup_seconds[size] = 1e-3;
    }
    for (const std::int64_t each : rows) group.measured.eager[each] = eager(each);
    return group;
  }
};

Rows traffic_of(const char* text) {
  return make_trace(read_traffic("--traffic", text), {.steps = 400, .rate = {}}).rows;
}

const Rows measured_sizes = {1, 2, 4, 8, 16, 32, 64, 128, 256};

TEST(Costs, OfASuggestionAreNeverAboveThoseOfTheBestMeasuredSubset) {
  for (const char* const traffic : {"zipf:1.1:256", "uniform:1:256"}) {
    for (const std::int64_t tile : {1, 16, 64, 128}) {
      const Simulated steps{tile, traffic_of(traffic)};
      for (const int most : {1, 4, 6, 9}) {
        SCOPED_TRACE(std::string(traffic) + ", tiles of " + std::to_string(tile) + ", " +
                     std::to_string(most));
        double best = HUGE_VAL;
        for (unsigned subset = 0; subset < 1u << measured_sizes.size(); ++subset) {
          if (std::popcount(subset) > most) continue;
          Rows sizes;
          for (std::size_t i = 0; i < measured_sizes.size(); ++i) {
            if ((subset >> i & 1u) != 0) sizes.push_back(measured_sizes[i]);
          }
          best = std::min(best, steps.mean_of(sizes));
        }
        const Suggestion made = suggest(steps.measured(measured_sizes), {steps.rows, {}},
                                        {.sizes_max = most, .engines = {"vllm"}});
        const double real = steps.mean_of(made.sizes);
        EXPECT_LE(real, best * (1 + 1e-9));
        EXPECT_NEAR(made.step_seconds, real, 1e-9 * real) << "what was measured is priced as it was";
        EXPECT_LE(real, steps.mean_of(made.rivals.at(0).sizes) * (1 + 1e-9)) << "powers of two";
        EXPECT_EQ(made.no_suggestion, "");
      }
    }
  }
}

TEST(Costs, OfMultiplesAndRivalsAreNeverPredictedTooLow) {
  for (const std::int64_t tile : {16, 64, 128}) {
    const Simulated steps{tile, traffic_of("uniform:1:250")};
    const Suggestion made =
        suggest(steps.measured({1, 6, 33, 70, 129, 255}), {steps.rows, {}},
                {.multiple_of = 4, .engines = {"vllm", "trtllm"}, .engine_sizes = {30, 254}});
    EXPECT_FALSE(made.sizes.empty());
    EXPECT_LE(steps.mean_of(made.sizes), made.step_seconds * (1 + 1e-9));
    for (const std::int64_t size : made.sizes) EXPECT_EQ(size % 4, 0) << size;
    EXPECT_EQ(made.interpolated, made.sizes);
    ASSERT_EQ(made.rivals.size(), 4u);
    for (const RivalList& rival : made.rivals) {
      for (const std::int64_t size : rival.sizes) EXPECT_EQ(size % 4, 0) << rival.name << " " << size;
      EXPECT_LE(steps.mean_of(rival.sizes), rival.step_seconds.value_or(1) * (1 + 1e-9)) << rival.name;
    }
    EXPECT_FALSE(made.rivals[1].step_seconds) << "256 was not measured";
    EXPECT_EQ(made.rivals[3].sizes, (Rows{32, 256}));
  }
}

TEST(Costs, OfEagerAreNeverPredictedTooHighSoThatNoGainIsClaimed) {
  Simulated steps{64, traffic_of("uniform:1:64")};
  MeasuredGroup group = steps.measured({1, 64});
  group.measured.eager = {{1, 50e-6}, {64, 1}};
  const Suggestion made = suggest(group, {steps.rows, {}}, {});
  EXPECT_EQ(made.sizes, (Rows{64}));
  EXPECT_EQ(made.no_suggestion, "");  // the largest steps were measured, and a second each
  group.measured.eager[64] = 110e-6;
  EXPECT_EQ(suggest(group, {steps.rows, {}}, {}).no_suggestion,
            "the predicted gain over eager is not certain: measure eager at more sizes");
  for (std::int64_t size = 2; size < 64; ++size) group.measured.eager[size] = 100e-6;
  EXPECT_EQ(suggest(group, {steps.rows, {}}, {}).no_suggestion, "the predicted gain over eager is below 2 %");
  group.measured.eager = {{1, 50e-6}, {64, 90e-6}};
  const Suggestion none = suggest(group, {steps.rows, {}}, {});
  EXPECT_TRUE(none.sizes.empty());
  EXPECT_EQ(none.no_suggestion, "capture nothing: all eager is fastest");
}

TEST(Costs, OfNoSizeMayBeWithinABudget) {
  Simulated steps{64, traffic_of("uniform:1:64")};
  MeasuredGroup group = steps.measured({1, 64});
  group.measured.startup_seconds = {{1, 1}, {64, 2}};
  group.measured.exec_bytes = group.measured.pool_bytes = {{1, 100}, {64, 200}};
  for (const auto& [budgets, limit] : std::initializer_list<std::pair<Budgets, std::string>>{
           {{.memory_bytes = 150}, "--memory"},
           {{.startup_seconds = 0.5}, "--startup"},
           {{.multiple_of = 1000}, "--multiple-of 1000"}}) {
    const Suggestion made = suggest(group, {steps.rows, {}}, budgets);
    EXPECT_EQ(made.no_suggestion, "capture nothing: no measured size fits " + limit);
    EXPECT_TRUE(
        sentence_of(made).starts_with("Capture nothing: no measured size fits " + limit + ". All eager"));
  }
}

TEST(Costs, OfFewSizesAreSaidWhereManyGainLittle) {
  const Simulated steps{1, traffic_of("zipf:1.1:64")};
  Rows all(64);
  for (std::int64_t i = 0; i < 64; ++i) all[static_cast<std::size_t>(i)] = i + 1;
  const Suggestion made = suggest(steps.measured(all), {steps.rows, {}}, {});
  EXPECT_GT(made.sizes.size(), 40u);
  EXPECT_LT(made.few.size(), 16u);
  EXPECT_LE(steps.mean_of(made.few), 1.02 * steps.mean_of(made.sizes));
}

}  // namespace
}  // namespace graphbench::ladder
