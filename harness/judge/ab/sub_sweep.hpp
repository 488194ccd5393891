// One side of an A/B run, a graphbench binary with its environment, and one launch of one group of cells as
// its command line: `graphbench --sweep` with options of the first version only, because BASE may be old.
#pragma once

#include <string>
#include <vector>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/model/plan.hpp"
#include "harness/options/options.hpp"

namespace graphbench::ab {

// Options of a sweep that an A/B run cannot have, because it makes its own documents: --profile, and those
// that are local to a process, except --quiet and --plugin.
std::vector<std::string> refused_options();

struct SubSweep {
  model::WorkerTask task;
  std::uint64_t seed = 1;
  std::string json;  // where its document goes
};

// The arguments after the binary's name. `raw` has the user's options, `options` their checked form.
std::vector<std::string> arguments_of(const SubSweep& sweep, const config::RawOptions& raw,
                                      const config::SweepOptions& options);

struct Target {
  std::string where;                     // "--base": begins messages about it
  std::string binary;                    // as given
  std::vector<std::string> environment;  // "NAME=VALUE", added to this process's
};

// The file that is executed, an absolute path, so that no search path matters.
std::string file_of(const Target& target);

// Starts the binary with --version. Throws InputError if it is not a file, not executable or not
// graphbench, and process::Interrupted.
void check_target(process::ProcessSupervisor& supervisor, const Target& target);

// Throws InputError for anything but NAME=VALUE.
void check_variable(const std::string& where, const std::string& text);

}  // namespace graphbench::ab
