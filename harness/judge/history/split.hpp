// The split of a series that divides it best: the step of E-divisive. Internal to harness/judge/history.
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace graphbench::history {

struct Split {
  std::size_t at = 0;    // the first value behind the split
  double statistic = 0;  // equation 7 of the paper that series.hpp names
};

// Over all segments; `boundaries` are the segments' ends, from 0 to the number of values. `segment_min`
// values at least stand on either side. Absent where no segment is long enough.
std::optional<Split> best_over_segments(const std::vector<double>& values,
                                        const std::vector<std::size_t>& boundaries, std::size_t segment_min);

}  // namespace graphbench::history
