// The state of the CPUs, which can change results between equal runs.
#pragma once

#include <optional>
#include <string>

#include "harness/model/instruments.hpp"

namespace graphbench::machine {

// Reads governor, turbo, load average and CPU quota below `root` ("" except in tests). Values that the system
// does not report are absent, as in most virtual machines. Does not set `pinned`.
model::CpuState read_cpu_state(const std::string& root = "");

// The CPU quota of this process, in CPUs: the smallest quota of its control group and of the groups above it
// (cgroup version 1 or 2). A container often has less than its number of visible cores. Absent: no limit.
std::optional<double> read_cpu_quota(const std::string& root = "");

}  // namespace graphbench::machine
