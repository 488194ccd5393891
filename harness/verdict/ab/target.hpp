// One side of an A/B run: a graphbench binary and the environment it runs in.
#pragma once

#include <string>
#include <vector>

#include "harness/process/process_supervisor.hpp"

namespace graphbench::ab {

struct Target {
  std::string where;                     // "--base": begins messages about it
  std::string binary;                    // as given
  std::vector<std::string> environment;  // "NAME=VALUE", beside this process's own
};

// The file that is executed: absolute, so that no search path has a say.
std::string file_of(const Target& target);

// Starts it with --version. Throws InputError for what is no file, not executable or no
// graphbench; process::Interrupted.
void check_target(process::ProcessSupervisor& supervisor, const Target& target);

// Throws InputError for anything but NAME=VALUE.
void check_variable(const std::string& where, const std::string& text);

}  // namespace graphbench::ab
