// The state of the CPUs: what makes one run differ from the next although nothing was changed.
#pragma once

#include <string>

#include "harness/model/instruments.hpp"

namespace graphbench::machine {

// Governor, turbo, load average and CPU quota as the system reports them under `root` ("" outside of tests).
// What it does not report, as most virtual machines do not, stays absent. `pinned` is left as it is.
model::CpuState read_cpu_state(const std::string& root = "");

}  // namespace graphbench::machine
