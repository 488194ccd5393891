// Parsed values of a configuration, whatever its format, and how they become raw options. A TOML file and the
// JSON body of a request take the same keys and the same types because both come through here.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "harness/config/option_table.hpp"
#include "harness/config/options.hpp"

namespace graphbench::config {

struct ConfigEntry;

// std::monostate: something that no option takes, such as a date or null.
struct ConfigValue {
  std::variant<std::monostate, std::string, std::int64_t, double, bool, std::vector<ConfigValue>,
               std::vector<ConfigEntry>>
      data;
  std::string where;  // begins messages: "sweep.toml:3"; empty where the format has no lines
};

struct ConfigEntry {
  std::string key;
  std::string where;
  ConfigValue value;
};

// Throws InputError for an unknown key (with the nearest known one) and for a value of the wrong type.
// `more`: keys beside the options of a sweep.
RawOptions raw_options(const std::vector<ConfigEntry>& entries, const std::vector<OptionSpec>& more = {});

}  // namespace graphbench::config
