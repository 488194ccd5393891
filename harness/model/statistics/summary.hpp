// Makes the Summary of one launch from its samples. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::statistics {

// The least n with 1 - 0.99^n >= 0.99: with fewer samples even the largest may lie below the 99th
// percentile, and "p99" would only be the maximum under another name (Hahn & Meeker, Statistical
// Intervals, 1991, section 5.3).
inline constexpr std::int64_t samples_for_p99 = 459;

// Absent for no samples. p90 and p99 only with enough of them (model::Summary says how many).
std::optional<model::Summary> summarize(const std::vector<double>& samples);

// Summarizes a launch in several placements, each with its samples. Steps differ between placements by a
// factor that lasts as long as the placement, so p50 averages the placements, whatever each one's number of
// samples: it is the geometric mean of their medians. Its interval is the geometric mean of theirs, which
// holds for these placements only and is too wide rather than too narrow. Placements without samples are left
// out.
std::optional<model::Summary> summarize_placements(const std::vector<std::vector<double>>& placements);

}  // namespace graphbench::statistics
