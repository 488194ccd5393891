// When a cell becomes steady: the answer to "how many warmups do I need".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace graphbench::statistics {

// The first samples, which are examined one by one.
inline constexpr std::int64_t ramp_samples = 32;

// The number of steps after which a launch is steady: the least k such that sample k is at most 2 % above the
// steady median, and the median of the rest of the ramp is within 2 % of it. The steady median is that of the
// samples behind the ramp (of the ramp's second half if fewer than five follow). Absent if the ramp does not
// get there before its last five steps, or if there are too few samples to decide.
std::optional<std::int64_t> steady_index(const std::vector<double>& samples);

}  // namespace graphbench::statistics
