// What was measured fastest at each size, over the modes that ladders were served in. Pure.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "harness/ladder/ladder.hpp"

namespace graphbench::ladder {

inline constexpr double gain_that_counts = 0.02;

// Finds the best modes of the requested ladders, one for each workload, preset, dtype, pass and warmup.
// `tokens_of` says how many tokens a unit of the batch has; absent where it has none.
std::vector<model::BestModes> best_modes(
    const std::vector<model::Ladder>& ladders,
    const std::function<std::optional<std::int64_t>(const model::Cell&)>& tokens_of);

}  // namespace graphbench::ladder
