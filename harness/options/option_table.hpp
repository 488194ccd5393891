// The table of a sweep's options. The command line, the configuration file and messages all use it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/axes.hpp"

namespace graphbench::config {

enum class OptionKind : std::uint8_t {
  words,    // one or more comma-separated lists of words
  numbers,  // a numeric axis
  integer,
  real,
  text,      // one word or path
  repeated,  // may be given several times; commas belong to the value
  flag,
};

// The topics of the help, in the help's order.
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
  std::string name;  // the argument of `--help NAME`
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
  // A request to the service may not give this option: it names a file or an address, or changes the output.
  bool local = false;
  std::string alone = {};  // the value if the option is given without one; empty: the option requires one
  bool brief = false;      // also shown in the short help
};

// All options, sorted by group, in the order of `--help`. In each group, the options of axes come first.
const std::vector<OptionSpec>& sweep_options();

// The second grid of the default plan (with_default_plan() in options.hpp).
inline constexpr std::string_view default_grid = "batch=8 warmup=0,1,3,10 mode=whole prepare=first-use";

std::vector<OptionSpec> axis_options(const model::AxisTable& table);

// Returns null if no option has this name.
const OptionSpec* find_option(std::string_view name);

// The option names that a configuration file may use.
std::vector<std::string> option_names();

}  // namespace graphbench::config
