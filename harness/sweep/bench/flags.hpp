// Google Benchmark's flags on our command line: checked here, so that errors read as ours, then handed over.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphbench::bench {

// Whether an argument is one of Google Benchmark's.
bool is_flag(std::string_view argument);

// The lines that `--help` prints about them: "--benchmark_filter=REGEX", one per flag.
std::string flags_help();

// Hands `flags` ("--benchmark_NAME=VALUE" each) to Google Benchmark. Throws InputError for a flag
// or a value that it does not take, and for a file of --benchmark_out that cannot be written.
void take_flags(const std::vector<std::string>& flags);

}  // namespace graphbench::bench
