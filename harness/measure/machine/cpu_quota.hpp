// How much CPU time control groups leave this process: in containers, often less than the cores it sees.
#pragma once

#include <optional>
#include <string>

namespace graphbench::machine {

// CPUs' worth of time, the least over this process's group and those above it, versions 1 and 2; absent
// where nothing limits it. Files are read under `root` ("" outside of tests).
std::optional<double> read_cpu_quota(const std::string& root = "");

}  // namespace graphbench::machine
