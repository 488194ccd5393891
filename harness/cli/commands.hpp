// The commands. Each returns the process's exit code, or throws.
#pragma once

#include <string_view>

#include "harness/cli/arguments.hpp"
#include "harness/model/exit_codes.hpp"

namespace graphbench::cli {

int sweep_command(const Arguments& arguments);
int bench_command(const Arguments& arguments);
int list_command(const Arguments& arguments);
int floor_command(const Arguments& arguments);
int compare_command(const Arguments& arguments);
int ab_command(const Arguments& arguments);
int selfcheck_command(const Arguments& arguments);
int history_command(const HistoryArguments& arguments);
int serve_command(const Arguments& arguments);

// The whole command line: parses, runs, and turns every exception into one line on stderr and the exit
// code that stands for it.
int run(int argc, const char* const* argv);

// The same for a sweep that the service started, process `parent`: `--served-sweep PARENT --sweep ...`.
int run_served(std::string_view parent, int argc, const char* const* argv);

}  // namespace graphbench::cli
