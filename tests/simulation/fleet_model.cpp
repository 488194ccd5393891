// Each fleet has its own seed, so that threads may share them out as they like.
#include "tests/simulation/fleet_model.hpp"

#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "harness/verdict/fleet/judge_fleet.hpp"

namespace graphbench::simulation {
namespace {

constexpr int slow = 0;  // the GPU and the node that are slow, where any is

struct Outcome {
  bool alarm = false;
  bool found = true;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double normal(double sigma) { return sigma * normal_(random_); }
  double heavy(double sigma) { return sigma * tails_(random_) / std::sqrt(5.0 / 3); }
  bool chance(double share) { return share > 0 && std::uniform_real_distribution<>()(random_) < share; }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<> normal_;
  std::student_t_distribution<> tails_{5};
};

int node_of(const FleetScenario& scenario, int gpu) {
  return gpu * scenario.nodes / scenario.gpus;
}

bool is_slow(const FleetScenario& scenario, int gpu) {
  if (scenario.slow_gpu == 0) return false;
  return gpu == slow || (scenario.whole_node && node_of(scenario, gpu) == node_of(scenario, slow));
}

fleet::Replicas fleet_of(const FleetScenario& scenario, Draw& draw) {
  fleet::Replicas made;
  for (int cell = 0; cell < fleet_cells; ++cell) {
    made.cells.emplace_back();
    made.cells.back().batch = cell;
  }
  std::vector<double> node(static_cast<std::size_t>(scenario.nodes));
  for (double& each : node) each = draw.normal(scenario.node_sigma);
  node[slow] += std::log1p(scenario.slow_node);
  for (int gpu = 0; gpu < scenario.gpus; ++gpu) {
    const int on = node_of(scenario, gpu);
    made.documents.push_back({"", std::to_string(gpu), std::to_string(on), ""});
    const double device = (scenario.heavy_tails ? draw.heavy(scenario.sigma) : draw.normal(scenario.sigma)) +
                          (is_slow(scenario, gpu) ? std::log1p(scenario.slow_gpu) : 0);
    for (int cell = 0; cell < fleet_cells; ++cell) {
      const double wild = draw.chance(scenario.wild) ? std::log(1.2) : 0;
      made.device.push_back(std::log(1e-4) + 0.2 * cell + device + wild + draw.normal(fleet_noise));
      made.submit.push_back(std::log(5e-6) + 0.1 * cell + node[static_cast<std::size_t>(on)] + wild +
                            draw.normal(fleet_noise));
    }
  }
  return made;
}

Outcome simulate(const FleetScenario& scenario, std::uint64_t seed) {
  Draw draw(seed);
  const model::Fleet fleet = fleet::judge_fleet(fleet_of(scenario, draw), 0.01);
  Outcome outcome;
  for (const model::FleetGpu& gpu : fleet.gpus) {
    const bool planted = is_slow(scenario, std::stoi(gpu.uuid));
    outcome.alarm |= gpu.unit.outlier && !planted;
    outcome.found &= gpu.unit.outlier || !planted;
  }
  for (const model::FleetNode& node : fleet.nodes) {
    const bool planted = scenario.slow_node > 0 && std::stoi(node.hostname) == slow;
    outcome.alarm |= node.unit.outlier && !planted;
    outcome.found &= node.unit.outlier || !planted;
  }
  return outcome;
}

}  // namespace

FleetRates run(const FleetScenario& scenario, std::int64_t fleets, std::uint64_t seed, int threads) {
  std::vector<FleetRates> counts(static_cast<std::size_t>(threads));
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      FleetRates& count = counts[static_cast<std::size_t>(t)];
      for (std::int64_t i = t; i < fleets; i += threads) {
        const Outcome outcome = simulate(scenario, seed * 1'000'003 + static_cast<std::uint64_t>(i));
        count.alarms += outcome.alarm ? 1 : 0;
        count.found += outcome.found ? 1 : 0;
      }
    });
  }
  FleetRates rates;
  for (int t = 0; t < threads; ++t) {
    workers[static_cast<std::size_t>(t)].join();
    rates.alarms += counts[static_cast<std::size_t>(t)].alarms / static_cast<double>(fleets);
    rates.found += counts[static_cast<std::size_t>(t)].found / static_cast<double>(fleets);
  }
  return rates;
}

}  // namespace graphbench::simulation
