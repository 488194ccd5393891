// The state of the CPUs, which makes runs differ although nothing was changed.
#pragma once

#include <optional>
#include <string>

#include "harness/model/instruments.hpp"

namespace graphbench::machine {

// Reads governor, turbo, load average and CPU quota as the system reports them under `root` ("" outside of
// tests). What it does not report, as in most virtual machines, is absent. `pinned` is not set.
model::CpuState read_cpu_state(const std::string& root = "");

// Reads how much CPU time control groups leave this process, in CPUs; in containers it is often less than the
// visible cores. It is the least over its group and those above, versions 1 and 2. Absent without a limit.
std::optional<double> read_cpu_quota(const std::string& root = "");

}  // namespace graphbench::machine
