// Simulated sweeps: launches' medians come from a known distribution, so the right verdicts are known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/judge/compare/judge.hpp"

namespace graphbench::simulation {

// The default sweep on a GPU: 3 workloads in 3 modes, 9 batch sizes, 4 warmup counts; two modes capture.
inline constexpr int groups = 9;
inline constexpr int capturing_groups = 6;
inline constexpr int batches = 9;
inline constexpr int members = 4;
inline constexpr int cells = groups * batches * members;

// A launch changes the logarithm of each time by a sum of three effects: one of the task, one of the cell,
// one of the metric alone. Shares of the first two in the variance:
inline constexpr double task_share = 0.5;
inline constexpr double cell_share = 0.3;

struct Scenario {
  std::string name = {};
  double sigma = 0.01;         // standard deviation of the logarithms of launches' times
  std::int64_t launches = 10;  // per side
  bool until_decided = false;  // judged after the same numbers of launches as by ab --until-decided
  bool machine_wide = false;   // all tasks of a launch have the first effect in common
  bool heavy_tails = false;    // Student's t with 3 degrees of freedom, scaled to sigma; else normal
  double uneven = 0;           // standard deviation of log(sigma) between cells' metrics
  double drift = 0;            // relative change of all times from the run's first launch to its last
  bool interleaved = false;    // ABBA, compared in pairs; else BASE before NEW
  double odd_share = 0;        // the share of a task's launches that are slower by odd_change
  double odd_change = 0;
  // In NEW, latency and device time of so many cells of the first family are slower by planted_change.
  int planted_cells = 0;
  double planted_change = 0;
};

// One metric of one cell: its launches on both sides.
struct Drawn {
  model::Metric metric = model::Metric::latency;
  std::uint32_t cell = 0;
  std::uint32_t family = 0;
  std::uint32_t task = 0;
  judge::Replicates replicates = {};
  model::MetricComparison result = {};  // set by the last call of trials()
};

// True if the metric has the planted change. The first family's members are in the first tasks.
inline bool changed(const Scenario& scenario, const Drawn& drawn) {
  return drawn.family == 0 && static_cast<int>(drawn.task) < scenario.planted_cells &&
         (drawn.metric == model::Metric::latency || drawn.metric == model::Metric::device);
}

// The launches of both sides, which depend on the scenario and the seed alone.
class Sweep {
 public:
  Sweep(const Scenario& scenario, std::uint64_t seed);
  // Returns the trials of all metrics, in a fixed order, over the first launches[i] launches per side of
  // task i. The sweep owns their results, and the next call overwrites them.
  std::vector<judge::Trial> trials(const std::vector<std::int64_t>& launches);

 private:
  std::vector<Drawn> metrics_;
};

struct Outcome {
  bool any_slower = false;    // a metric that did not change is called slower
  int found = 0;              // planted cells whose latency is called slower
  std::int64_t launches = 0;  // per side, until the first planted cell was found; 0: never
};

Outcome simulate(const Scenario& scenario, std::uint64_t seed);

// Takes the change that one comparison reports as detectable, and returns how often a second comparison
// calls a change of that size slower. Launches of both spread by 1 %. The detectable change depends on the
// spread that the first comparison saw, and the second one sees another spread.
double power_of_detectable(std::int64_t launches, std::int64_t comparisons, std::uint64_t seed);

}  // namespace graphbench::simulation
