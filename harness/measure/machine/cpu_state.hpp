// The state of the CPUs, which can change results between equal runs.
#pragma once

#include <string>

#include "harness/model/settings.hpp"

namespace graphbench::measure {

// Reads files of the system below `root` ("" except in tests). What the system does not report is absent.
model::CpuState read_cpu_state(const model::InstrumentOptions& instruments, const std::string& root = "");

}  // namespace graphbench::measure
