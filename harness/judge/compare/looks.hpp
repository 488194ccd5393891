// Verdicts of a run that is looked at more than once while it goes on. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "harness/judge/compare/judge.hpp"

namespace graphbench::compare {

// After how many launches a side a run until decided is looked at, and its most launches.
inline constexpr std::array<std::int64_t, 4> planned_looks = {5, 10, 15, 20};

// What look number `at` may spend of `alpha`, after the looks before it: the increment of the Pocock-type
// spending function of Lan & DeMets (1983), alpha ln(1 + (e - 1) t) at t, the share of the most launches. The
// last look of a run that does not go on spends what is left. Each look is a test at its own increment, so
// the looks together err no more often than alpha (Bonferroni), whatever their dependence: boundaries from a
// joint distribution need its normal limit, which few launches are far from.
double level_at(double alpha, std::span<const std::int64_t> looks, std::size_t at, bool goes_on);

// Look after look; what is decided at one stays as it was.
class Looks {
 public:
  // `looks` are launches a side and rise; none: one look at everything.
  Looks(const model::ComparisonSettings& settings, std::vector<std::int64_t> looks);
  // Judges the trials of the next look. q is scaled so that it compares with alpha at every look.
  Tests judge(std::span<Trial> trials);
  // Of the trials as judged last: of several looks, among what stayed undecided; 0 where nothing did.
  std::optional<double> slowdown_found(std::span<const Trial> trials) const;

 private:
  const model::ComparisonSettings& settings_;
  std::vector<std::int64_t> looks_;
  std::size_t next_ = 0;
  std::map<std::pair<std::uint32_t, model::Metric>, model::MetricComparison> decided_;
};

}  // namespace graphbench::compare
