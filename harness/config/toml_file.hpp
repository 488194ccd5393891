// A sweep's configuration file: TOML whose keys are option names without dashes in front.
#pragma once

#include <string>
#include <vector>

#include "harness/config/option_table.hpp"
#include "harness/config/options.hpp"

namespace graphbench::config {

// Throws InputError naming FILE:LINE: a file that cannot be read, malformed TOML, an unknown key (with
// the nearest known one), a value of the wrong type.
RawOptions read_toml_file(const std::string& path);

// The same from text; `path` is only for messages. `more`: keys beside the options of a sweep.
RawOptions parse_toml(const std::string& text, const std::string& path,
                      const std::vector<OptionSpec>& more = {});

}  // namespace graphbench::config
