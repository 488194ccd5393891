// Pure statistics: from samples to a launch's Summary, and from launches to a cell's summary.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::measure {

// The least n with 1 - 0.99^n >= 0.99: with fewer samples even the largest may lie below the 99th
// percentile, and "p99" would only be the maximum under another name (Hahn & Meeker, Statistical
// Intervals, 1991, section 5.3).
inline constexpr std::int64_t samples_for_p99 = 459;

// Nearest rank: the smallest sample with at least `fraction` of all samples at or below it.
// `sorted` ascending and not empty; 0 < fraction <= 1.
double nearest_rank(const std::vector<double>& sorted, double fraction);

// Absent for no samples. p90 and p99 only with enough of them (model::Summary says how many).
std::optional<model::Summary> summarize(const std::vector<double>& samples);

// Fills `summary` of every cell from its launches, and speedup and break-even from the eager cell of
// the same workload, preset, dtype, pass, batch and warmup.
void summarize_cells(std::vector<model::CellResult>& cells);

}  // namespace graphbench::measure
