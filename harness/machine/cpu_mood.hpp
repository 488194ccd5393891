// The CPU side of a machine's mood: what makes one run differ from the next though nothing changed.
#pragma once

#include <string>

#include "harness/model/instruments.hpp"

namespace graphbench::machine {

// Governor, turbo, load average and CPU quota as the system reports them under `root` ("" but in tests). What
// it does not report, as in most virtual machines, stays absent. `pinned` is left as it is.
model::CpuMood read_cpu_mood(const std::string& root = "");

}  // namespace graphbench::machine
