// The command line as data: which command, and its options as they were written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/cli/ab_arguments.hpp"
#include "harness/cli/compare_arguments.hpp"
#include "harness/cli/history_arguments.hpp"
#include "harness/cli/serve_arguments.hpp"
#include "harness/config/options.hpp"

namespace graphbench::cli {

enum class Command : std::uint8_t {
  sweep,
  bench,
  list,
  floor,
  compare,
  ab,
  selfcheck,
  history,
  serve,
  help,
  version
};
enum class ListWhat : std::uint8_t { everything, workloads, devices, modes, presets };

struct Arguments {
  Command command = Command::help;
  ListWhat list = ListWhat::everything;
  // Of --sweep and bench, flags merged over the file; of list: plugin; of floor: its own.
  config::RawOptions options;
  std::vector<std::string> benchmark_flags;  // of bench: "--benchmark_NAME=VALUE", Google Benchmark's
  CompareArguments compare;
  AbArguments ab;  // of selfcheck too
  HistoryArguments history;
  ServeArguments serve;
  bool served = false;  // a sweep that tells the service of itself on descriptor 3
  std::string kept;     // of a served sweep: what the service kept of it before it was interrupted
  std::vector<std::string> argv;
  std::string text;  // of help
};

// Throws InputError for anything that is no command line of graphbench.
Arguments parse_arguments(int argc, const char* const* argv);

}  // namespace graphbench::cli
