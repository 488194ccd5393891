// Computes the cost to make a cell's graphs, and to start a process with all of its task's. Decides which
// setups count.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::model {

// Returns the time of capture, instantiation and upload, and what opening a foreign step took for its mode.
double setup_seconds(const Setup& setup);
// Returns setup_seconds() plus the time of the warmups, because only a capture needs these eager steps.
double cost_seconds(const Setup& setup);

// Returns the median of `number` over the launch's later placements, or the value of its only placement. The
// first placement is different, because the driver then also allocates memory that the process keeps.
double of_later_setups(const Launch& launch, double (*number)(const Setup& setup));

// Whether the setups of `launch` count. With one placement per launch, the setup of launch 0 does not count,
// unless the cell has no other launch.
bool has_later_setups(const std::vector<Launch>& launches, const Launch& launch);

// Returns `number` of each launch whose setups count.
std::vector<double> later_setups(const std::vector<Launch>& launches, double (*number)(const Setup& setup));
// Returns their median, or nullopt without launches.
std::optional<double> setup_over(const std::vector<Launch>& launches, double (*number)(const Setup& setup));

// Returns the cost of the launch's first setup minus the cost of later setups of the same process. Absent
// with one placement per launch: each process then has one setup, which is like those of other processes.
std::optional<double> first_setup_excess(const Launch& launch);

// Returns what a process needs for graphs until the end of its last batch's first step: a foreign step's
// compilation and recording, warmups, capture, instantiate, upload and first steps of all batches in the
// first placement.
double startup_seconds(const Startup& startup);
// Returns the time before that: to start the process, load code, build the step and choose kernels. Eager
// steps need it too.
double build_seconds(const Startup& startup);
// Returns the start-up of the process in the middle (of an even number, the faster), or null.
const Startup* middle_startup(const std::vector<Launch>& launches);

}  // namespace graphbench::model
