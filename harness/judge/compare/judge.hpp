// From launch medians to verdicts: one test a metric of a cell, with the spread that all cells tell, and one
// correction over all families. Pure.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/model/comparison.hpp"
#include "harness/model/statistics/mean_difference.hpp"

namespace graphbench::compare {

// One number a launch, in seconds, all positive, at least one a side.
struct Replicates {
  std::vector<double> base;
  std::vector<double> now;
  bool paired = false;  // base[i] and now[i] are neighbours in one interleaved run
  // From one interleaved run, but no launch has a partner: the metric cannot be judged.
  bool partnerless = false;
};

// One metric of one cell, from its launches to its verdict.
struct Trial {
  model::MetricComparison& result;  // not owned
  // Numbers of the cell, of its family, which differs by the warmup count alone, and of its ladder, which
  // differs by the batch alone: cells of one ladder share their launches' processes.
  std::uint32_t family = 0;
  std::uint32_t ladder = 0;
  std::uint32_t cell = 0;
  bool partnerless = false;
  // Of logarithms, first with the own spread, when judged with what is known of it; absent where a side has
  // one launch.
  std::optional<statistics::MeanDifference> difference = {};
  double interval_critical = 0;  // Student's t of the interval of 95 %
  double threshold = 0;          // what the next p of its family must fall below
  statistics::Power power = {};  // at that threshold

  double log_margin() const { return std::log1p(result.margin); }
};

// The numbers of one metric that need no other. `result` is default-constructed.
Trial measure(model::Metric metric, const Replicates& replicates, const model::MetricSettings& settings,
              model::MetricComparison& result);

struct Tests {
  std::int64_t tests = 0;  // p values
  std::int64_t families = 0;
};

// Fills in the rest: spreads, intervals and p, families by Benjamini-Hochberg and their members after
// Benjamini and Bogomolov (2014), verdicts.
Tests judge(std::span<Trial> trials, double alpha);

// The slowdown of one cell's latency that is found in nine cases of ten, whichever of the judged trials'
// cells it is; as a fraction. Absent where no latency was tested, or where it is more than tenfold.
std::optional<double> slowdown_found(std::span<const Trial> trials);

}  // namespace graphbench::compare
