// From main's arguments to an exit code.
#pragma once

#include "harness/cli/commands.hpp"
#include "harness/model/exit_codes.hpp"

namespace graphbench::cli {

// Runs what `argv` asks for: a command, or a child process that graphbench started itself as. Every exception
// becomes one line on stderr and its exit code.
int run(int argc, const char* const* argv);

// A sweep that the service, process `arguments.parent`, started. Its argv is a command line of its own.
int run_served(const ChildArguments& arguments);

}  // namespace graphbench::cli
