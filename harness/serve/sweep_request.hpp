// The body of POST /v1/sweeps: the keys of a configuration file, as JSON or TOML.
#pragma once

#include <string>
#include <vector>

namespace graphbench::serve {

enum class BodyFormat { json, toml };

// The arguments of `graphbench --sweep` that the body stands for, checked as far as can be without knowing
// the device. Throws config::InputError for a body that will not do: malformed, a key that is none or that a
// request may not give (files, addresses), a wrong value. `plugins`: the names that the key `plugins`, which
// no configuration file has, may hold; each becomes an argument --plugin=NAME, and no file is looked for.
std::vector<std::string> parse_sweep_request(const std::string& body, BodyFormat format,
                                             const std::vector<std::string>& plugins = {});

}  // namespace graphbench::serve
