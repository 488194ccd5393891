// Parses the options of `graphbench ladder`. Does no I/O, except that it reads traffic files.
#pragma once

#include <string>
#include <vector>

#include "harness/ladder/plan_ladders.hpp"
#include "harness/ladder/suggestions.hpp"

namespace graphbench::ladder {

// the value of LadderArguments::suggest that asks for the times of this run
inline constexpr const char* own_measurements = "-";

struct LadderArguments {
  std::string sizes = "1,2,4,8:512:+8";
  std::string multiple_of = "1";
  std::string engine_sizes;
  std::string order = "largest";
  std::string when = "startup";
  std::string pad = "up";
  std::string beyond = "eager";
  std::string mutated_inputs = "refuse";
  std::string warmup_by = "capture";
  std::string exec = "own";
  std::string traffic;
  std::string traffic_mode;  // empty: all
  std::string steps = "10000";
  std::string arrivals;
  bool no_rivals = false;
  std::string suggest;  // a file or own_measurements; empty: no suggestion is made
  std::string sizes_max;
  std::string memory;
  std::string startup;
  std::string engines = "vllm,sglang,trtllm";
  bool verify = false;
};

// All functions throw InputError, which names the option. Call check_*() before anything is measured.
LadderRequest request_of(const LadderArguments& asked, std::int64_t seed);
void check_routes(const LadderRequest& request);
void check_suggestion(const LadderArguments& asked, const LadderRequest& request, const Budgets& budgets);
Budgets budgets_of(const LadderArguments& asked);
std::vector<std::string> engines_of(const std::string& text);

}  // namespace graphbench::ladder
