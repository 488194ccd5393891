// Compares a sweep's submit times with the minimum cost of their launches. All functions are pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::statistics {

// The minimum cost of submitting one step. A graph launch costs as much as launching a graph of one empty
// kernel, and an eager op as much as launching an empty kernel. The stream is idle for the first launch.
// Other launches cost the smaller of their costs on an idle and on a busy stream. Absent without floors or
// counts.
std::optional<double> submit_floor(const model::Floors& floors, const model::CellResult& cell);

// Sets `summary.submit_over_floor` of every cell that has a submit time and a minimum cost.
void add_submit_over_floor(const model::Floors& floors, std::vector<model::CellResult>& cells);

}  // namespace graphbench::statistics
