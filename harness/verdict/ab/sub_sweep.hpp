// One launch of one group of cells as a command line of its own: `graphbench --sweep` with nothing but
// options that have been there since the first version, because BASE may be an old one.
#pragma once

#include <string>
#include <vector>

#include "harness/config/options.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::ab {

// Options of a sweep that an A/B run cannot have: it makes documents of its own.
const std::vector<std::string>& refused_options();

struct SubSweep {
  model::WorkerTask task;
  std::uint64_t seed = 1;
  std::string json;  // where its document goes
};

// What follows the binary's name. `raw` is what the person gave, `options` the same checked.
std::vector<std::string> arguments_of(const SubSweep& sweep, const config::RawOptions& raw,
                                      const config::SweepOptions& options);

}  // namespace graphbench::ab
