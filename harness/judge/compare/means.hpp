// Compares the mean of a metric over all cells of a mode, with the launch as the replicate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/compare/facts.hpp"
#include "harness/judge/compare/judge.hpp"

namespace graphbench::judge {

// Two cells to compare, and the index of their entry in model::Comparison::cells.
struct Pair {
  const DocumentCell* base = nullptr;
  const DocumentCell* now = nullptr;
  std::size_t cell = 0;
};

struct Launches {
  bool interleaved = false;
  std::int64_t end = std::numeric_limits<std::int64_t>::max();  // only launches with a smaller index
};

// True if no launch index repeats on either side.
bool can_be_paired(const Pair& pair);

// A number made of the launch's document and index. Cells that one launch measured have the same number.
std::int64_t key_of(const LaunchTimes& launch);

// Fills in `means` and returns their trials. Each mode is a family.
std::vector<Trial> measure_means(std::span<const Pair> pairs, const model::ComparisonSettings& settings,
                                 const Launches& launches, std::vector<model::MeanComparison>& means);

// Marks the means whose launches spread more in NEW than in BASE.
void judge_steadiness(std::vector<model::MeanComparison>& means);

// Finds launches that differ from the others of their side by more than the margin and chance can explain.
std::vector<model::OddLaunch> odd_launches(std::span<const Pair> pairs,
                                           const model::ComparisonSettings& settings);

// Finds sides whose launches are in two groups.
std::vector<model::TwoStates> two_states(std::span<const Pair> pairs,
                                         const model::ComparisonSettings& settings);

}  // namespace graphbench::judge
