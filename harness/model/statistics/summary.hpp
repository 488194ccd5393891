// Computes the Summary of one launch from its samples, and finds the step from which the launch is steady, to
// answer "how many warmups do I need". All functions are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::model {

// The smallest n with 1 - 0.99^n >= 0.99. With fewer samples, even the maximum may lie below the true 99th
// percentile (Hahn & Meeker, Statistical Intervals, 1991, section 5.3).
inline constexpr std::int64_t samples_for_p99 = 459;

// Returns nullopt without samples. p90, p99 and p99.9 are absent with too few samples (see Summary).
std::optional<Summary> summarize(const std::vector<double>& samples);

// Summarizes a launch with several placements. All steps of a placement may be slower or faster by one
// factor. So p50 and the bounds of its interval are geometric means over the placements, with equal weights.
// The interval is valid only for these placements, and may be too wide. Placements without samples are
// ignored.
std::optional<Summary> summarize_placements(const std::vector<std::vector<double>>& placements);

// The ramp: this many first samples of a launch, which steady_index() examines one by one.
inline constexpr std::int64_t ramp_samples = 32;

// Returns the index k of a launch's first steady sample. The steady median is the median of the samples after
// the ramp, or of the ramp's second half if fewer than five samples follow the ramp. Sample k is at most 2 %
// above the steady median, and the median of the ramp from k on is within 2 % of the steady median. Absent if
// no k has at least five ramp samples from k on, or with too few samples.
std::optional<std::int64_t> steady_index(const std::vector<double>& samples);

}  // namespace graphbench::model
