// Compares a sweep's submit times with the minimum cost of their launches. All functions are pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::statistics {

// The minimum cost of submitting one step: a graph of one empty kernel per graph launch, and an empty kernel
// per eager op. The stream is idle for the first launch. Each other launch costs the smaller of its costs on
// an idle and on a busy stream. Absent without floors or counts.
std::optional<double> submit_floor(const model::Floors& floors, const model::CellResult& cell);

void add_submit_over_floor(const model::Floors& floors, std::vector<model::CellResult>& cells);

}  // namespace graphbench::statistics
