// Which mode is fastest at a size, by how much, and where graphs stop to gain.
#include <gtest/gtest.h>

#include "harness/ladder/suggestions.hpp"

namespace graphbench::ladder {
namespace {

model::Ladder ladder_of(const std::string& mode,
                        const std::vector<std::pair<double, double>>& step_and_eager) {
  model::Ladder ladder;
  ladder.cell.workload = "attention";
  ladder.cell.mode = mode;
  ladder.launches.emplace_back();
  std::int64_t size = 1;
  for (const auto& [step, eager] : step_and_eager) {
    ladder.sizes.push_back(size);
    ladder.launches[0].sizes.push_back({.size = size, .step_seconds = step, .eager_seconds = eager});
    size *= 2;
  }
  return ladder;
}

TEST(Best, IsTheLeastMedianWithTheMarginOfTheNext) {
  const std::vector<model::BestModes> best =
      best_modes({ladder_of("whole", {{1.0, 3.0}, {2.0, 3.0}, {4.0, 4.0}, {8.0, 8.1}}),
                  ladder_of("piecewise", {{1.5, 2.5}, {1.6, 3.2}, {5.0, 4.2}, {9.0, 8.2}})},
                 [](const model::Cell&) { return 128; });
  ASSERT_EQ(best.size(), 1u);
  const std::vector<model::BestSize>& sizes = best[0].sizes;
  EXPECT_EQ(sizes[0].mode, "whole");
  EXPECT_DOUBLE_EQ(sizes[0].margin, 0.5);
  EXPECT_DOUBLE_EQ(sizes[0].over_eager.value(), 2.5);
  EXPECT_EQ(sizes[1].mode, "piecewise");
  EXPECT_DOUBLE_EQ(sizes[1].step_seconds, 1.6);
  EXPECT_EQ(best[0].no_gain_from, 4);
  EXPECT_EQ(best[0].no_gain_from_tokens, 512);
}

TEST(Best, NamesNoEndWhereGraphsGainAtTheLargestSize) {
  const auto best = best_modes({ladder_of("whole", {{1.0, 1.0}, {1.0, 1.5}})},
                               [](const model::Cell&) { return std::optional<std::int64_t>(); });
  EXPECT_EQ(best.at(0).no_gain_from, std::nullopt);
  EXPECT_EQ(best.at(0).no_gain_from_tokens, std::nullopt);
}

}  // namespace
}  // namespace graphbench::ladder
