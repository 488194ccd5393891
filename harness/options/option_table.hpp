// The options of a sweep, in one table that command line, configuration file and messages are made from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/axes.hpp"

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

// The topic of an option, in the order of the help.
enum class OptionGroup : std::uint8_t {
  plan,
  steps,
  training,
  torch,
  packages,
  measuring,
  results,
  prometheus,
  plugins,
  machine,
  shards
};
struct OptionTopic {
  OptionGroup group;
  std::string name;  // what `--help NAME` takes
  std::string_view title;
};
const std::vector<OptionTopic>& option_topics();
std::string_view title_of(OptionGroup group) noexcept;

struct OptionSpec {
  std::string name;  // without dashes
  OptionGroup group = OptionGroup::plan;
  OptionKind kind = OptionKind::text;
  std::string placeholder = {};
  std::string help = {};
  // The option names a file or an address, or changes the output, so a request to the service may not give
  // it.
  bool local = false;
  std::string alone = {};  // the value if it is given without one; empty: it needs one
  bool brief = false;      // in the short help too
};

// The axes' options, then the others, in the order `--help` shows them.
const std::vector<OptionSpec>& sweep_options();

// The second grid of a plan for which no axis was given.
inline constexpr std::string_view default_grid = "batch=8 warmup=0,1,3,10 mode=whole prepare=first-use";

// The options that give the axes of `table` their values.
std::vector<OptionSpec> axis_options(const model::AxisTable& table);

// Null if there is no such option.
const OptionSpec* find_option(std::string_view name);

// Names that a configuration file may use.
std::vector<std::string> option_names();

}  // namespace graphbench::config
