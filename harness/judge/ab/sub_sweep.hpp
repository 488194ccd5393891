// One side of `ab` (a graphbench binary and its environment), and the command line for one launch of a
// group: `graphbench --sweep`. Because BASE may be old, newer options appear only where a task needs them.
#pragma once

#include <string>
#include <vector>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/model/plan.hpp"
#include "harness/options/options.hpp"

namespace graphbench::judge {

// The options with options::InAb::refused, most of them because `ab` writes its own documents.
std::vector<std::string> refused_options();

struct SubSweep {
  model::WorkerTask task;
  std::uint64_t seed = 1;
  std::string json;  // path of the document that the sweep writes
};

// The arguments after the binary's name. `raw` has the user's options, `options` their checked form.
std::vector<std::string> arguments_of(const SubSweep& sweep, const options::RawOptions& raw,
                                      const options::SweepOptions& options);

struct Target {
  std::string where;                     // "--base"; error messages begin with this
  std::string binary;                    // as the user gave it
  std::vector<std::string> environment;  // "NAME=VALUE", in addition to this process's variables
};

// The absolute path of the binary, so that the child process does not search PATH.
std::string file_of(const Target& target);

// Starts the binary with --version. Throws InputError if `target.binary` is not a file, cannot be executed
// or is not graphbench. Throws process::Interrupted if a signal interrupts this program.
void check_target(process::ProcessSupervisor& supervisor, const Target& target);

// Throws InputError for anything but NAME=VALUE.
void check_variable(const std::string& where, const std::string& text);

}  // namespace graphbench::judge
