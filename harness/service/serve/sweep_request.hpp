// The body of POST /v1/sweeps: the keys of a configuration file, as JSON or TOML.
#pragma once

#include <string>
#include <vector>

#include "harness/options/options.hpp"

namespace graphbench::serve {

enum class BodyFormat { json, toml };

struct SweepRequest {
  std::vector<std::string> arguments;  // for `graphbench --sweep`
  std::vector<std::string> plugins;    // names; each is among the arguments as --plugin=NAME
  config::SweepOptions options;        // the rest; a message about one names its key, and in TOML its line
};

// Checks all that does not depend on the device and the workloads. JSON keys may have `_` in place of `-`.
// `plugins` are the names that the key `plugins`, which configuration files lack, may hold; no file is looked
// for. Throws InputError for a malformed body, an unknown key or one that a request may not give (files,
// addresses), and a wrong value.
SweepRequest parse_sweep_request(const std::string& body, BodyFormat format,
                                 const std::vector<std::string>& plugins = {});

}  // namespace graphbench::serve
