// The options of `graphbench ab` and `graphbench selfcheck`: a sweep's, a verdict's, and their own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/compare_arguments.hpp"
#include "harness/config/options.hpp"

namespace CLI {
class App;
}

namespace graphbench::cli {

struct AbArguments {
  bool selfcheck = false;
  config::RawOptions sweep;  // flags merged over the file; launches always there
  std::string base;          // binaries; empty: this one
  std::string now;
  std::vector<std::string> base_environment;  // "NAME=VALUE"
  std::vector<std::string> new_environment;
  std::string json_base = "graphbench-base.json";
  std::string json_new = "graphbench-new.json";
  bool cell_processes = false;  // --alternate cell
  bool confirm = false;
  std::int64_t rounds = 1;  // of selfcheck
  std::string json;         // of selfcheck; empty: none
  VerdictArguments verdict;
};

// Adds both commands to a command line, and reads what that has parsed.
class AbLine {
 public:
  explicit AbLine(CLI::App& app);
  ~AbLine();
  AbLine(const AbLine&) = delete;
  AbLine& operator=(const AbLine&) = delete;

  CLI::App* parsed() const;  // null where neither was given
  // Throws InputError for an option of a sweep that these commands do not take. Before the other
  // leftovers are looked at, which would take it for a misspelt one.
  void check_refused() const;
  // Throws InputError.
  AbArguments arguments() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::cli
