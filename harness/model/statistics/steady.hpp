// Finds when a cell becomes steady, to answer "how many warmups do I need".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace graphbench::statistics {

// The first samples of a launch, which are examined one by one.
inline constexpr std::int64_t ramp_samples = 32;

// Returns after how many steps a launch is steady: the least k for which sample k is at most 2 % above the
// steady median, and the median of the ramp from k on is within 2 % of it. The steady median is that of the
// samples after the ramp (of the ramp's second half if fewer than five follow). Absent if no such k leaves
// five steps in the ramp, or with too few samples.
std::optional<std::int64_t> steady_index(const std::vector<double>& samples);

}  // namespace graphbench::statistics
