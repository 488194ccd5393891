// From rounds of a binary against itself to false alarms, detectable changes and launches needed. Pure.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "harness/model/self_check.hpp"
#include "harness/verdict/compare/read_side.hpp"

namespace graphbench::selfcheck {

// Both sides of one interleaved round.
using Round = std::pair<compare::Side, compare::Side>;

struct CheckOptions {
  model::ComparisonSettings settings;
  std::int64_t renamings_max = 64;  // a round
  std::uint64_t seed = 1;
};

// The whole report except the facts of the run, which the caller fills in.
model::SelfCheck check_rounds(const std::vector<Round>& rounds, const CheckOptions& options);

// The launches a side with which a change of twice the margin is found in 4 of 5 comparisons, given the
// spread of a pair and the p value below which a change is called out; absent above launches_max. It is
// also what an unchanged cell needs to come out `same` about as often: both want the standard error to be
// that small against the margin.
inline constexpr std::int64_t launches_max = 1000;
struct PairSpread {
  double deviation = 0;  // standard deviation of the logarithm of NEW / BASE
  double freedom = 1;    // degrees that a pair adds: more than 1 where other cells share their spread
};
std::optional<std::int64_t> launches_needed(const PairSpread& spread, double log_margin, double threshold);

}  // namespace graphbench::selfcheck
