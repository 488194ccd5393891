// The options of a sweep, once: the command line, the configuration file and their messages are all
// made from this table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphbench::config {

enum class OptionKind : std::uint8_t {
  words,     // a comma-separated list, or several
  numbers,   // a numeric axis
  integer,   // one whole number
  real,      // one number
  text,      // one word or path
  repeated,  // taken as often as given, commas and all
  flag,      // there or not
};

struct OptionSpec {
  std::string name;  // without dashes
  OptionKind kind = OptionKind::text;
  std::string placeholder;
  std::string help;
  // Names a file or an address, or speaks to a person: a request to the service may not give it.
  bool local = false;
};

// In the order `--help` shows them.
const std::vector<OptionSpec>& sweep_options();

// Null where there is no such option.
const OptionSpec* find_option(std::string_view name);

// Names that a configuration file may use.
std::vector<std::string> option_names();

}  // namespace graphbench::config
