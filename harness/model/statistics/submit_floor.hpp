// Compares a sweep's submit times with the least cost of their launches. Pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::statistics {

// The least cost of submitting one step: per graph launch the cost of a graph of one empty kernel, and per
// eager op the cost of one empty kernel. The first launch counts as one on an idle stream, the others as on a
// busy stream if that is cheaper. Absent without floors or counts.
std::optional<double> submit_floor(const model::Floors& floors, const model::CellResult& cell);

// Sets `summary.submit_over_floor` of every cell that has both times.
void add_submit_over_floor(const model::Floors& floors, std::vector<model::CellResult>& cells);

}  // namespace graphbench::statistics
