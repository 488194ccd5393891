// What launches can find on this machine, from a comparison of a binary with itself. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/model/comparison.hpp"

namespace graphbench::ab {

inline constexpr std::int64_t launches_max = 1000;

// The slowdown of one cell's latency, as a fraction, that so many launches per side would find in nine cases
// of ten, in any cell, at the spreads that `itself` saw. Absent where no latency was tested, where there are
// fewer than two launches, or where it is more than tenfold.
std::optional<double> slowdown_found_by(std::int64_t launches, const model::Comparison& itself);

// The fewest launches per side that find `slowdown`; absent above launches_max.
std::optional<std::int64_t> launches_to_find(double slowdown, const model::Comparison& itself);

}  // namespace graphbench::ab
