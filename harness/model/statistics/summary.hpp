// Computes the Summary of one launch from its samples. All functions are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::statistics {

// The smallest n with 1 - 0.99^n >= 0.99. With fewer samples, even the maximum may lie below the true 99th
// percentile (Hahn & Meeker, Statistical Intervals, 1991, section 5.3).
inline constexpr std::int64_t samples_for_p99 = 459;

// Returns nullopt without samples. p90, p99 and p99.9 are absent with too few samples (see model::Summary).
std::optional<model::Summary> summarize(const std::vector<double>& samples);

// Summarizes a launch with several placements. All steps of a placement may be slower or faster by one
// factor. So p50 and the bounds of its interval are geometric means over the placements, with equal weights.
// The interval is valid only for these placements, and may be too wide. Placements without samples are
// ignored.
std::optional<model::Summary> summarize_placements(const std::vector<std::vector<double>>& placements);

}  // namespace graphbench::statistics
