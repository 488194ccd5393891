// Which of a sweep's options `bench` takes: Google Benchmark, and being one process, leave no room for
// the others.
#pragma once

#include <string>

#include "harness/config/options.hpp"

namespace graphbench::cli {

bool is_bench_option(const std::string& name);

// Throws InputError for the first option that bench does not take, with what to give instead.
void refuse_sweep_only(const config::RawOptions& options);

}  // namespace graphbench::cli
