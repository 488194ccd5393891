// Makes the plan of a sweep from checked options and the probe's findings. Pure: no clock, no I/O.
#pragma once

#include <string>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/options/options.hpp"
#include "harness/sweep/plan/catalog.hpp"

namespace graphbench::plan {

// A sweep larger than this is refused: it could not end, and its plan would not fit.
inline constexpr std::int64_t measurements_max = 100'000;
// Throws InputError for larger ones; `where` begins its message.
void check_size(const std::vector<model::Axes>& grids, std::int64_t launches, const std::string& where,
                const model::AxisTable& table = model::axes());

// `argv` is kept in the plan's facts. Cells: grid by grid, values as given, the axis that stands last in
// `table` innermost. Tasks: launch by launch, within a launch in an order shuffled from the seed, the same on
// every machine. Throws InputError.
model::Plan make_plan(const config::SweepOptions& options, const Catalog& catalog,
                      std::vector<std::string> argv, const model::AxisTable& table = model::axes());

}  // namespace graphbench::plan
