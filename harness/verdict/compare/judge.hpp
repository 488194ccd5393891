// From launch medians to verdicts: one test a metric of a cell, one correction over all of them. Pure.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/model/comparison.hpp"
#include "harness/statistics/mean_difference.hpp"

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
  model::MetricComparison result;
  std::optional<statistics::MeanDifference> difference;  // of logarithms; absent where a side has one launch
  double log_margin = 0;
  bool partnerless = false;
};

// Everything but q, detectable, verdict and why.
Trial measure(model::Metric metric, const Replicates& replicates, const model::MetricSettings& settings);

// Corrects the p values over all trials and gives each its verdict. Returns how many p values there were.
std::int64_t judge(std::span<Trial> trials, double alpha);

}  // namespace graphbench::compare
