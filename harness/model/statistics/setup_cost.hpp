// The cost to make a cell's graphs, and the setups that count.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::statistics {

// Returns the time of capture, instantiation and upload.
double setup_seconds(const model::Setup& setup);
// Returns setup_seconds() plus the warmups, because only a capture needs these eager steps.
double cost_seconds(const model::Setup& setup);

// Returns the median of `number` over the launch's later placements. During the first placement the driver
// also takes memory that the process keeps. With one placement, returns the value of that placement.
double of_later_setups(const model::Launch& launch, double (*number)(const model::Setup& setup));

// Whether the launch's setups count. If launches have one placement each, those of the first launch do not
// count, unless it is the only launch.
bool has_later_setups(const std::vector<model::Launch>& launches, const model::Launch& launch);

// Returns the median over the launches whose setups count, or nullopt without launches.
std::optional<double> setup_over(const std::vector<model::Launch>& launches,
                                 double (*number)(const model::Setup& setup));

// Returns the cost of the launch's first setup minus that of later setups. Absent if the launch has no first
// setup: if launches have one placement each, only the first launch has one.
std::optional<double> first_setup_excess(const std::vector<model::Launch>& launches,
                                         const model::Launch& launch);

}  // namespace graphbench::statistics
