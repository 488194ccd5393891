// Makes the plan of a sweep from checked options and the probe's catalog. Pure: no clock, no I/O.
#pragma once

#include <string>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/options/options.hpp"
#include "harness/sweep/plan/workload_choice.hpp"

namespace graphbench::sweep {

// A larger sweep is refused: it would take too long, and its plan would not fit into memory.
inline constexpr std::int64_t measurements_max = 100'000;
// Throws InputError, which begins with `where`, for more than measurements_max measurements.
void check_size(const std::vector<model::Axes>& grids, std::int64_t launches, const std::string& where,
                const model::AxisTable& table = model::axes());

// Orders cells by grid, then by the given values; the last axis of `table` varies fastest. Orders tasks by
// launch, and shuffles those of a launch: one seed gives the same order on every machine. Throws InputError.
model::Plan make_plan(const options::SweepOptions& options, const Catalog& catalog,
                      std::vector<std::string> argv, const model::AxisTable& table = model::axes());

}  // namespace graphbench::sweep
