// The cost of making a cell's graphs, and the choice of the setups that count.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::statistics {

// Capture, instantiation and upload.
double setup_seconds(const model::Setup& setup);
// With the warmups, which are eager steps that only the capture needs.
double cost_seconds(const model::Setup& setup);

// A number of the launch's setups: the median over its later placements, because during the first one the
// driver also takes memory that the process keeps. A launch with one placement has the number of that
// placement.
double of_later_setups(const model::Launch& launch, double (*number)(const model::Setup& setup));

// Whether the launch's setups count as the cost of a setup. Where launches have one placement, the first
// launch's do not, unless it is the only one.
bool has_later_setups(const std::vector<model::Launch>& launches, const model::Launch& launch);

// The median over the launches that have later setups; absent if there is no launch.
std::optional<double> setup_over(const std::vector<model::Launch>& launches,
                                 double (*number)(const model::Setup& setup));

// How much more the launch's first setup cost than later ones. Absent for a launch without a first one: with
// one placement each, only the first launch has one.
std::optional<double> first_setup_excess(const std::vector<model::Launch>& launches,
                                         const model::Launch& launch);

}  // namespace graphbench::statistics
