// Small fleets with factors by construction.
#include "harness/verdict/fleet/judge_fleet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

namespace graphbench::fleet {
namespace {

constexpr int cells = 9;
constexpr double absent = std::numeric_limits<double>::quiet_NaN();

struct Made {
  Replicas replicas;
  // Device times are `device`, submit times `submit` times those of a common law, which differ a little.
  void add(const std::string& gpu, const std::string& node, double device, double submit) {
    const auto at = static_cast<double>(replicas.documents.size());
    replicas.documents.push_back(
        {gpu + ".json", gpu, node, "2026-01-0" + std::to_string(replicas.documents.size() % 9 + 1)});
    replicas.cells.resize(cells);
    for (int c = 0; c < cells; ++c) {
      replicas.cells[static_cast<std::size_t>(c)].batch = c;
      const double little = 0.004 * std::sin(7 * at) + 0.001 * std::sin(at * (c + 1));
      replicas.device.push_back(std::log(1e-4 * (c + 1) * device) + little);
      replicas.submit.push_back(std::log(5e-6 * (c + 1) * submit) + little);
    }
  }
};

// 24 GPUs on 6 nodes.
Made fleet_of(const std::function<double(int gpu)>& device, const std::function<double(int node)>& submit) {
  Made made;
  for (int gpu = 0; gpu < 24; ++gpu)
    made.add("GPU-" + std::to_string(gpu), "node" + std::to_string(gpu / 4), device(gpu), submit(gpu / 4));
  return made;
}

const auto alike = [](int) { return 1.0; };

TEST(Fleet, ThoseAlikeAreNoOutliers) {
  const model::Fleet fleet = judge_fleet(fleet_of(alike, alike).replicas, 0.01);
  EXPECT_EQ(fleet.outliers(), 0);
  EXPECT_EQ(fleet.gpus.size(), 24U);
  EXPECT_EQ(fleet.nodes.size(), 6U);
  EXPECT_EQ(fleet.gpu_test.tested, 24);
  EXPECT_NEAR(fleet.gpus.front().unit.factor.value(), 1, 0.01);
  EXPECT_LT(fleet.gpu_test.detectable.value(), 0.05);
}

TEST(Fleet, ASlowGpuIsNamedWithItsFactor) {
  const auto slow = [](int gpu) { return gpu == 5 ? 1.2 : 1.0; };
  const model::Fleet fleet = judge_fleet(fleet_of(slow, alike).replicas, 0.01);
  EXPECT_EQ(fleet.outliers(), 1);
  EXPECT_EQ(fleet.gpus.front().uuid, "GPU-5");
  EXPECT_TRUE(fleet.gpus.front().unit.outlier);
  EXPECT_NEAR(fleet.gpus.front().unit.factor.value(), 1.2, 0.012);
}

TEST(Fleet, AFastGpuIsNoOutlierAndHidesNone) {
  const auto two = [](int gpu) { return gpu == 5 ? 1.2 : gpu == 6 ? 0.5 : 1.0; };
  const model::Fleet fleet = judge_fleet(fleet_of(two, alike).replicas, 0.01);
  EXPECT_EQ(fleet.outliers(), 1);
  EXPECT_TRUE(fleet.gpus.front().unit.outlier);
  EXPECT_LT(fleet.gpu_test.spread.value(), 0.01);
}

TEST(Fleet, ASlowCpuIsItsNodesAndNotItsGpus) {
  const auto slow = [](int node) { return node == 2 ? 1.6 : 1.0; };
  const model::Fleet fleet = judge_fleet(fleet_of(alike, slow).replicas, 0.01);
  EXPECT_EQ(fleet.outliers(), 1);
  EXPECT_EQ(fleet.nodes.front().hostname, "node2");
  EXPECT_TRUE(fleet.nodes.front().unit.outlier);
  EXPECT_EQ(fleet.nodes.front().gpus, 4);
  EXPECT_EQ(fleet.nodes.front().gpus_slow, 0);
}

TEST(Fleet, ANodeWithSlowGpusSaysHowMany) {
  const auto slow = [](int gpu) { return gpu / 4 == 3 ? 1.3 : 1.0; };
  const model::Fleet fleet = judge_fleet(fleet_of(slow, alike).replicas, 0.01);
  EXPECT_EQ(fleet.outliers(), 4);
  for (const model::FleetNode& node : fleet.nodes) {
    EXPECT_EQ(node.gpus_slow, node.hostname == "node3" ? 4 : 0);
    EXPECT_FALSE(node.unit.outlier);
  }
}

// Three of nine cells wait for a CPU that is slow on one node: their device times are no GPU's fault.
TEST(Fleet, CellsThatWaitForTheHostDoNotMakeAGpuSlow) {
  const auto slow = [](int node) { return node == 2 ? 1.6 : 1.0; };
  Made made = fleet_of(alike, slow);
  for (std::size_t i = 0; i < made.replicas.documents.size(); ++i) {
    for (int c = 0; c < cells; c += c < 5 ? 1 : cells) {
      const std::size_t at = i * cells + static_cast<std::size_t>(c);
      made.replicas.submit[at] += std::log(20.0);
      made.replicas.device[at] = made.replicas.submit[at];
    }
  }
  const model::Fleet fleet = judge_fleet(made.replicas, 0.01);
  EXPECT_EQ(std::ranges::count_if(fleet.cells, &model::FleetCell::host_bound), 6);
  EXPECT_EQ(fleet.outliers(), 1);
  EXPECT_TRUE(fleet.nodes.front().unit.outlier);
}

TEST(Fleet, SeveralDocumentsOfAGpuShowItsDrift) {
  Made made = fleet_of(alike, alike);
  made.add("GPU-7", "node1", 1.02, 1);
  made.add("GPU-7", "node5", 1.05, 1);
  for (std::size_t i = 0; i < 3; ++i)  // the order in time counts, and not that of the files
    made.replicas.documents[i == 0 ? 7 : 23 + i].started_at = std::to_string(i == 0 ? 2030 : 2020 + i);
  const model::Fleet fleet = judge_fleet(made.replicas, 0.01);
  const auto gpu = std::ranges::find(fleet.gpus, "GPU-7", &model::FleetGpu::uuid);
  ASSERT_EQ(gpu->documents.size(), 3U);
  EXPECT_NEAR(gpu->drift.value(), 1 / 1.02, 0.01);
  EXPECT_NEAR(gpu->unit.factor.value(), 1.02, 0.01);
  EXPECT_EQ(gpu->node, "node1");
  EXPECT_EQ(fleet.gpus.size(), 24U);
  EXPECT_FALSE(fleet.gpus.back().drift);
}

TEST(Fleet, MissingCellsAndTimesAreLeftOut) {
  Made made = fleet_of([](int gpu) { return gpu == 1 ? 1.2 : 1.0; }, alike);
  for (int c = 0; c < cells - 1; ++c) made.replicas.device[cells + static_cast<std::size_t>(c)] = absent;
  for (int c = 0; c < cells; ++c) made.replicas.device[static_cast<std::size_t>(c)] = absent;
  const model::Fleet fleet = judge_fleet(made.replicas, 0.01);
  EXPECT_EQ(fleet.gpu_test.tested, 23);
  EXPECT_EQ(fleet.gpus.front().uuid, "GPU-1");
  EXPECT_FALSE(fleet.gpus.back().unit.factor);
}

TEST(Fleet, TwoGpusAreTooFewToTell) {
  Made made;
  made.add("a", "n", 1, 1);
  made.add("b", "n", 9, 1);
  const model::Fleet fleet = judge_fleet(made.replicas, 0.01);
  EXPECT_EQ(fleet.outliers(), 0);
  EXPECT_EQ(fleet.gpu_test.tested, 2);
  EXPECT_FALSE(fleet.gpu_test.detectable);
  EXPECT_NEAR(fleet.gpus.front().unit.factor.value() / fleet.gpus.back().unit.factor.value(), 9, 0.1);
}

}  // namespace
}  // namespace graphbench::fleet
