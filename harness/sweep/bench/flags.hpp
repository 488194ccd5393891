// Google Benchmark's flags on the command line. Checks them first, so that errors read like graphbench's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphbench::sweep {

bool is_flag(std::string_view argument);

// The help text of the flags, one line per flag: "--benchmark_filter=REGEX".
std::string flags_help();

// Passes `flags` ("--benchmark_NAME=VALUE" each) to Google Benchmark. Throws InputError for an unknown flag,
// an invalid value, and a --benchmark_out file that cannot be written.
void take_flags(const std::vector<std::string>& flags);

}  // namespace graphbench::sweep
