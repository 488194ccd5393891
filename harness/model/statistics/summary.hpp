// Computes the Summary of one launch from its samples. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::statistics {

// The least n with 1 - 0.99^n >= 0.99. With fewer samples even the largest may lie below the 99th percentile,
// and p99 would only be another name for the maximum (Hahn & Meeker, Statistical Intervals, 1991, section
// 5.3).
inline constexpr std::int64_t samples_for_p99 = 459;

// Absent without samples. p90, p99 and p99.9 need enough samples (model::Summary says how many).
std::optional<model::Summary> summarize(const std::vector<double>& samples);

// Summarizes a launch with several placements. Steps differ between placements by a factor that lasts as long
// as the placement. So p50 is the geometric mean of the placements' medians, for any numbers of samples. Its
// interval is the geometric mean of their intervals, which is valid only for these placements and rather too
// wide than too narrow. Placements without samples are ignored.
std::optional<model::Summary> summarize_placements(const std::vector<std::vector<double>>& placements);

}  // namespace graphbench::statistics
