// The state of the CPUs, which can change results between equal runs.
#pragma once

#include <optional>
#include <string>

#include "harness/model/instruments.hpp"

namespace graphbench::machine {

// Reads files of the system below `root` ("" except in tests). What the system does not report is absent.
model::CpuState read_cpu_state(const model::InstrumentOptions& instruments, const std::string& root = "");

// Returns the smallest CPU quota of this process's control group and of the groups above it (cgroup version
// 1 or 2), as a number of CPUs. Absent if there is no limit.
std::optional<double> read_cpu_quota(const std::string& root = "");

}  // namespace graphbench::machine
