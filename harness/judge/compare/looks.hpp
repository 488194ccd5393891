// Judges a run that is looked at more than once while it goes on. Pure.
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

// The numbers of launches per side after which a run until decided is looked at; the last is its most.
inline constexpr std::array<std::int64_t, 4> planned_looks = {5, 10, 15, 20};

// The part of `alpha` that look number `at` may spend: the increment of the Pocock-type spending function of
// Lan & DeMets (1983), alpha ln(1 + (e - 1) t) at t, the share of the most launches. The last look of a run
// that does not go on spends the rest. Each look is a test at its increment, so all looks err at most as
// often as alpha (Bonferroni), however they depend on each other. Boundaries from a joint distribution need
// its normal limit, from which few launches are far.
double level_at(double alpha, std::span<const std::int64_t> looks, std::size_t at, bool goes_on);

// Judges look after look; a decision of one look stays.
class Looks {
 public:
  // `looks` are rising numbers of launches per side; empty: one look at everything.
  Looks(const model::ComparisonSettings& settings, std::vector<std::int64_t> looks);
  // Judges the trials of the next look. q is scaled so that it is compared with alpha at every look.
  Tests judge(std::span<Trial> trials);
  // See slowdown_found() of judge.hpp, for the last look; after several looks among what is undecided, 0
  // where nothing is.
  std::optional<double> slowdown_found(std::span<const Trial> trials) const;

 private:
  const model::ComparisonSettings& settings_;
  std::vector<std::int64_t> looks_;
  std::size_t next_ = 0;
  std::map<std::pair<std::uint32_t, model::Metric>, model::MetricComparison> decided_;
};

}  // namespace graphbench::compare
