// The body of POST /v1/sweeps: the keys of a configuration file, as JSON or TOML.
#pragma once

#include <string>
#include <vector>

#include "harness/options/options.hpp"

namespace graphbench::serve {

enum class BodyFormat { json, toml };

struct SweepRequest {
  std::vector<std::string> arguments;  // of `graphbench --sweep`
  std::vector<std::string> plugins;    // by name; each stands among the arguments as --plugin=NAME
  config::SweepOptions options;  // what the rest means; a message on one names its key, of TOML its line too
};

// Checked as far as can be without knowing the device and the workloads. JSON keys may have `_` in place of
// `-`. `plugins`: the names that the key `plugins`, which no configuration file has, may hold; no file is
// looked for. Throws InputError for a malformed body, an unknown key or one that a request may not give
// (files, addresses), and a wrong value.
SweepRequest parse_sweep_request(const std::string& body, BodyFormat format,
                                 const std::vector<std::string>& plugins = {});

}  // namespace graphbench::serve
