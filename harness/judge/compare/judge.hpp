// Makes verdicts of launch medians: one test per metric of a cell, with the spread that all cells show, and
// one correction over all families. Pure.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/model/comparison.hpp"
#include "harness/model/statistics/mean_difference.hpp"

namespace graphbench::compare {

// One positive number per launch, in seconds; at least one per side.
struct Replicates {
  std::vector<double> base;
  std::vector<double> now;
  bool paired = false;  // base[i] and now[i] are neighbours in one interleaved run
  // One interleaved run in which no launch has a partner, so the metric cannot be judged.
  bool partnerless = false;
};

// One metric of one cell, from its launches to its verdict.
struct Trial {
  model::MetricComparison& result;  // not owned
  // Numbers of the cell, of its family, which differs by the warmup count alone, and of its task, which
  // differs by the batch alone: cells of one task share their launches' processes.
  std::uint32_t family = 0;
  std::uint32_t task = 0;
  std::uint32_t cell = 0;
  bool partnerless = false;
  // The difference of logarithms, first with its own spread, after judging with the shared one; absent where
  // a side has one launch.
  std::optional<statistics::MeanDifference> difference = {};
  double interval_critical = 0;  // Student's t of the interval of 95 %
  double threshold = 0;          // the next p of its family must be below it
  statistics::Power power = {};  // at that threshold

  double log_margin() const { return std::log1p(result.margin); }
};

// Computes the numbers of one metric that depend on no other. `result` is default-constructed.
Trial measure(model::Metric metric, const Replicates& replicates, const model::MetricSettings& settings,
              model::MetricComparison& result);

struct Tests {
  std::int64_t tests = 0;  // p values
  std::int64_t families = 0;
};

// Fills in the rest: spreads, intervals and p, families by Benjamini-Hochberg, their members by Benjamini and
// Bogomolov (2014), and verdicts.
Tests judge(std::span<Trial> trials, double alpha);

// The slowdown of one cell's latency, as a fraction, that is found in nine cases of ten in any of the judged
// cells. Absent where no latency was tested, or where it is more than tenfold.
std::optional<double> slowdown_found(std::span<const Trial> trials);

}  // namespace graphbench::compare
