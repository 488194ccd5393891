// One side of an A/B run, a graphbench binary with its environment; and one launch of one group of cells as a
// command line of it: `graphbench --sweep` with nothing but options of the first version, because BASE may be
// an old one.
#pragma once

#include <string>
#include <vector>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/model/plan.hpp"
#include "harness/options/options.hpp"

namespace graphbench::ab {

// Options of a sweep that an A/B run cannot have, because it makes documents of its own: those that are local
// to a process, but for --quiet and --plugin, and --profile.
std::vector<std::string> refused_options();

struct SubSweep {
  model::WorkerTask task;
  std::uint64_t seed = 1;
  std::string json;  // where its document goes
};

// What follows the binary's name. `raw` is what the person gave, `options` the same checked.
std::vector<std::string> arguments_of(const SubSweep& sweep, const config::RawOptions& raw,
                                      const config::SweepOptions& options);

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
