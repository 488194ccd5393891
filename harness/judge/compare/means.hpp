// Measures the mean of a metric over all cells of a mode, with the launch as the replicate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/compare/facts.hpp"
#include "harness/judge/compare/judge.hpp"

namespace graphbench::compare {

// Two cells to compare, and the cell of the comparison that gets the outcome.
struct Pair {
  const DocumentCell* base = nullptr;
  const DocumentCell* now = nullptr;
  std::size_t cell = 0;  // in the comparison
};

// Which launches are compared, and how.
struct Launches {
  bool interleaved = false;
  std::int64_t end = std::numeric_limits<std::int64_t>::max();  // of their indices
};

// True if the launches of both cells can be paired by their indices.
bool can_be_paired(const Pair& pair);

// The launch's process, shared by the cells that it measured: unique on a side that several documents make
// up.
std::int64_t key_of(const LaunchTimes& launch);

// The mode in a cell's id, such as "whole"; empty for an id of another form.
std::string mode_of(const std::string& id);

// Fills in `means` and returns their trials, each a family by itself.
std::vector<Trial> measure_means(std::span<const Pair> pairs, const model::ComparisonSettings& settings,
                                 const Launches& launches, std::vector<model::MeanComparison>& means);

// Marks the means whose launches spread more in NEW than in BASE.
void judge_steadiness(std::vector<model::MeanComparison>& means);

// Finds launches that are apart from the others of their side.
std::vector<model::OddLaunch> odd_launches(std::span<const Pair> pairs,
                                           const model::ComparisonSettings& settings);

}  // namespace graphbench::compare
