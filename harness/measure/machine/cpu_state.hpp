// The state of the CPUs, which can change results between equal runs.
#pragma once

#include <optional>
#include <string>

#include "harness/model/instruments.hpp"

namespace graphbench::machine {

// Reads governor, turbo, load average and CPU quota below `root` ("" except in tests). Values that the system
// does not report are absent, as in most virtual machines. Does not set `pinned`.
model::CpuState read_cpu_state(const std::string& root = "");

// The CPU quota of this process, in CPUs: the smallest of its control group and the groups above, for cgroup
// versions 1 and 2. In a container it is often less than the number of visible cores. Absent: no limit.
std::optional<double> read_cpu_quota(const std::string& root = "");

}  // namespace graphbench::machine
