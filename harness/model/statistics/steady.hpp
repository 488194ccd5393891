// Finds the step from which a launch is steady, to answer "how many warmups do I need".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace graphbench::statistics {

// The ramp: this many first samples of a launch, which steady_index() examines one by one.
inline constexpr std::int64_t ramp_samples = 32;

// Returns the index k of a launch's first steady sample. The steady median is the median of the samples after
// the ramp, or of the ramp's second half if fewer than five samples follow the ramp. Sample k is at most 2 %
// above the steady median, and the median of the ramp from k on is within 2 % of the steady median. Absent if
// no k has at least five ramp samples from k on, or with too few samples.
std::optional<std::int64_t> steady_index(const std::vector<double>& samples);

}  // namespace graphbench::statistics
