// The table of a sweep's options. The command line, TOML files, requests to the service, the plan's hash,
// `ab` and messages all use it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/model/axes.hpp"
#include "harness/options/numbers.hpp"
#include "harness/options/options.hpp"

namespace graphbench::options {

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

enum class InHash : std::uint8_t {
  no,       // changes no measurement, or the plan's hash has it as an axis, a size or a line of its own
  value,    // always a line of the hash
  changed,  // a line, and a setting of the document's plan, unless at its default
};

// What `graphbench ab` does with an option.
enum class InAb : std::uint8_t {
  passed,  // gives it to the sweeps of those cells that it changes
  own,     // gives the sweeps a value of its own, or one for each task
  refused,
};

// A place in the options; its type says how the option is read. `at<&A::b, &B::c>` is the place a.b.c.
template <typename T>
using Place = T& (*)(SweepOptions&);
template <auto first, auto... rest>
inline constexpr auto at = [](SweepOptions& options) -> auto& {
  return ((options.*first).*....*rest);
};

// `Read` reads an option whose value has a form of its own; null: check_options() reads it with another one.
using Read = void (*)(const RawOptions&, SweepOptions&);
using Value =
    std::variant<Read, Place<bool>, Place<std::int64_t>, Place<std::optional<std::int64_t>>, Place<double>,
                 Place<std::string>, Place<std::vector<std::string>>, Place<std::vector<std::int64_t>>>;

// Which cells an option changes.
struct Reach {
  // Null: every cell.
  bool (*changes)(const model::Cell& cell, std::string_view device, const SweepOptions& options) = nullptr;
  std::string_view with = {};  // what the message says to give: "--mode piecewise"
};

// What few options have.
struct OptionTraits {
  OptionKind kind = OptionKind::text;  // of a `Read`; else the type of the place decides
  // The commands that take the option, besides --sweep and ab: "bench ladder".
  std::string also = {};
  std::vector<std::string> needs = {};     // it has no effect without one of these options
  std::vector<std::string> excludes = {};  // it cannot be given with any of these options
  Reach reach = {};
  std::vector<std::string> choices = {};  // of a text; the first is the default
  std::string noun = {};                  // the name of one value of a list in messages
  IntegerRange range = {0, INT64_MAX};
  // A request to the service may not give this option: it names a file or an address, or changes the output.
  bool local = false;
  std::string alone = {};  // the value if the option is given without one; empty: the option requires one
  bool brief = false;      // also shown in the short help
};
struct OptionSpec : OptionTraits {
  OptionGroup group = OptionGroup::plan;
  std::string name = {};  // without dashes
  Value value = Read();
  InHash in_hash = InHash::no;
  InAb in_ab = InAb::refused;
  std::string placeholder = {};
  std::string help = {};
};
// Makes a row. Hash and `ab` have no defaults, so that a row which forgets one does not compile.
OptionSpec option(OptionGroup group, std::string name, Value value, InHash in_hash, InAb in_ab,
                  std::string placeholder, std::string help, OptionTraits traits = {});

// The rows of option_rows.cpp: all options but those of axes.
const std::vector<OptionSpec>& option_rows();

// All options, sorted by group, in the order of `--help`. In each group, the options of axes come first.
const std::vector<OptionSpec>& sweep_options();

// The second grid of the default plan (with_default_plan() in options.hpp).
inline constexpr std::string_view default_grid = "batch=8 warmup=0,1,3,10 mode=whole prepare=first-use";

std::vector<OptionSpec> axis_options(const model::AxisTable& table);

// Returns null if no option has this name.
const OptionSpec* find_option(std::string_view name);

// The option names that a configuration file may use.
std::vector<std::string> option_names();
// The names of the options that `command` ("ladder") takes, by OptionSpec::also.
std::vector<std::string> options_for(std::string_view command);

// Whether the option is given, and not as a flag with the value false.
bool is_given(const RawOptions& raw, const OptionSpec& option);

// The value as text; "" for an option of a form of its own.
std::string value_text(const OptionSpec& option, SweepOptions options);
// The lines "name=value" of the options with InHash::value.
std::string hash_lines(const SweepOptions& options);
// By name, the options with InHash::changed that are not at their default.
std::map<std::string, std::string> changed_settings(const SweepOptions& options);

}  // namespace graphbench::options
