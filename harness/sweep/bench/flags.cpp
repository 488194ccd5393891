// Refuses values at which Google Benchmark would end the process. Passes all flags to Google Benchmark.
#include "harness/sweep/bench/flags.hpp"

#include <benchmark/benchmark.h>

#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "graphs/base/text.hpp"
#include "harness/options/output.hpp"

namespace graphbench::sweep {
namespace {

// The most useful flags; Google Benchmark's user guide lists the others.
const std::vector<std::pair<std::string, std::string>>& common_flags() {
  static const std::vector<std::pair<std::string, std::string>> flags = {
      {"--benchmark_filter=REGEX",
       "run the cells whose id matches (with \"-\" in front: the cells whose id does not)"},
      {"--benchmark_list_tests", "print the cells' names and stop"},
      {"--benchmark_min_time=SECONDS", "minimum time to run each cell (default: 0.5)"},
      {"--benchmark_repetitions=N", "run each cell N times and add mean, median, stddev and cv"},
      {"--benchmark_report_aggregates_only", "report only mean, median, stddev and cv"},
      {"--benchmark_enable_random_interleaving", "interleave the repetitions of different cells"},
      {"--benchmark_format=FORMAT", "format of stdout: console, json, csv"},
      {"--benchmark_out=FILE", "also write the results to a file for compare.py"},
      {"--benchmark_out_format=FORMAT", "format of the --benchmark_out file: json (default), console, csv"},
      {"--benchmark_time_unit=UNIT", "time unit: ns (default), us, ms, s"},
      {"--benchmark_counters_tabular", "print counters in columns"},
  };
  return flags;
}

// The valid values of flags. With any other value, Google Benchmark prints its usage and exits with 0.
const std::map<std::string, std::vector<std::string>>& known_values() {
  static const std::vector<std::string> formats = {"console", "json", "csv"};
  static const std::map<std::string, std::vector<std::string>> known = {
      {"--benchmark_format", formats},
      {"--benchmark_out_format", formats},
      {"--benchmark_time_unit", {"ns", "us", "ms", "s"}}};
  return known;
}

// Parses all of `text` as a number, which may have a unit as in newer versions of Google Benchmark: "2s",
// "100x". Absent for other text.
std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc() || (!unit.empty() && unit != "s" && unit != "x")) return std::nullopt;
  return number;
}

// Refuses numbers that Google Benchmark accepts, but that let it run nothing or never end.
void check_number(const std::string& name, const std::string& value) {
  constexpr double seconds_max = 86400;
  constexpr double repetitions_max = 1e6;
  const std::optional<double> number = number_in(value);
  if (name == "--benchmark_repetitions") {
    if (number && *number >= 1 && *number <= repetitions_max && *number == std::floor(*number)) return;
    throw InputError(name, in_quotes(value) + " is not valid: give a whole number from 1 to 1000000");
  }
  if (name != "--benchmark_min_time" && name != "--benchmark_min_warmup_time") return;
  const bool counts_steps = value.ends_with('x');
  if (number && *number >= 0 && (counts_steps || *number <= seconds_max)) return;
  throw InputError(name, in_quotes(value) + " is not valid: give seconds, from 0 to 86400, e.g. 0.5");
}

void check_flag(const std::string& flag) {
  const std::size_t equals = flag.find('=');
  const std::string name = flag.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : flag.substr(equals + 1);
  const auto known = known_values().find(name);
  if (known != known_values().end() && !contains(known->second, value)) {
    throw InputError(name, in_quotes(value) + " is not a valid value: give " + join(known->second) +
                               did_you_mean(value, known->second));
  }
  check_number(name, value);
  if (name == "--benchmark_out") options::check_output_file(name, value, options::Stdout::refused);
}

}  // namespace

bool is_flag(std::string_view argument) {
  return argument.starts_with("--benchmark_");
}

std::string flags_help() {
  std::string text;
  for (const auto& [flag, help] : common_flags()) {
    text += "  " + flag + std::string(flag.size() < 42 ? 42 - flag.size() : 1, ' ') + help + "\n";
  }
  return text;
}

void take_flags(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) check_flag(flag);
  // Google Benchmark keeps a pointer to argv[0] for its reports, so the string must be static.
  static std::string program = "graphbench";
  std::vector<std::string> arguments = flags;
  std::vector<char*> argv = {program.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(arguments.size()) + 1;
  benchmark::Initialize(&argc, argv.data());
  if (argc < 2) return;
  // Google Benchmark leaves in argv the flags that it does not know or cannot parse.
  const std::string left = argv[1];
  const std::string name = left.substr(0, left.find('='));
  std::vector<std::string> known;
  for (const auto& [flag, help] : common_flags()) known.push_back(flag.substr(0, flag.find('=')));
  const bool is_known = contains(known, name);
  throw InputError(name, in_quotes(left) + " is not a valid Google Benchmark flag" +
                             (is_known ? "" : did_you_mean(name, known)) + " (see graphbench bench --help)");
}

}  // namespace graphbench::sweep
