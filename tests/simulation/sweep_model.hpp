// Sweeps that never ran: launch medians drawn from a known law, so that it is known what a comparison of them
// should say.
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

// What one launch adds to a logarithm is a sum of three: what its process does to every cell and metric of
// the task, what it does to every metric of a cell, and what is a metric's own. Their shares of the
// variance:
inline constexpr double task_share = 0.5;
inline constexpr double cell_share = 0.3;

struct Scenario {
  std::string name = {};
  double sigma = 0.01;         // standard deviation between launches, of logarithms
  std::int64_t launches = 10;  // a side
  bool until_decided = false;  // looked at as ab --until-decided does, at most so many launches
  bool machine_wide = false;   // what a launch's process does, it does to all processes of the launch
  bool heavy_tails = false;    // Student's t with 3 degrees of freedom, scaled to sigma; else normal
  double uneven = 0;           // standard deviation between cells of the logarithm of their sigma
  double drift = 0;            // from the first launch of the run to the last, common to all cells
  bool interleaved = false;    // ABBA, compared in pairs; else BASE before NEW
  double odd_share = 0;  // of a task's launches that are slower by odd_change, as where memory lies unluckily
  double odd_change = 0;
  int planted_cells = 0;  // of the first family, whose latency and device time are slower in NEW by
  double planted_change = 0;
};

// One metric of one cell: its launches on both sides.
struct Drawn {
  model::Metric metric = model::Metric::latency;
  std::uint32_t cell = 0;
  std::uint32_t family = 0;
  std::uint32_t task = 0;
  compare::Replicates replicates = {};
  model::MetricComparison result = {};  // of the latest trials
};

// Whether the planted change is in it: the first family's members are in the first tasks.
inline bool changed(const Scenario& scenario, const Drawn& drawn) {
  return drawn.family == 0 && static_cast<int>(drawn.task) < scenario.planted_cells &&
         (drawn.metric == model::Metric::latency || drawn.metric == model::Metric::device);
}

// A sweep of both sides with its launches, deterministic in the seed.
class Sweep {
 public:
  Sweep(const Scenario& scenario, std::uint64_t seed);
  // Of the first launches of each side, so many of each task; in one order, whatever their number. Their
  // results belong to the sweep: the next call takes their place.
  std::vector<compare::Trial> trials(const std::vector<std::int64_t>& launches);

 private:
  std::vector<Drawn> metrics_;
};

// What was said of one comparison.
struct Outcome {
  bool any_slower = false;    // of metrics that did not change
  int found = 0;              // planted cells whose latency is slower
  std::int64_t launches = 0;  // a side, until the first of them was found; 0: never
};

Outcome simulate(const Scenario& scenario, std::uint64_t seed);

// The share of fresh comparisons in which a change of the size that an earlier one printed as detectable
// is called slower: both of a sweep whose launches spread by 1 %. An earlier comparison says what it would
// have found by the spread that it saw; another one sees another spread.
double power_of_detectable(std::int64_t launches, std::int64_t comparisons, std::uint64_t seed);

}  // namespace graphbench::simulation
