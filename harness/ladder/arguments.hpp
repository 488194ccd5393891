// The options of `graphbench ladder`: a row and a member for each. Does no I/O, except that it reads traffic
// files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/ladder/plan_ladders.hpp"
#include "harness/ladder/suggest.hpp"
#include "harness/ladder/suggestions.hpp"
#include "harness/options/command_options.hpp"

namespace graphbench::ladder {

// the value of LadderArguments::suggest that asks for the times of this run
inline constexpr const char* own_measurements = "-";
// the value of LadderArguments::closed without a number
inline constexpr const char* largest_measured = "-";

// What an option needs that changes only served steps, and one that changes only steps in --capture-sizes.
inline constexpr const char* with_serving =
    "a ladder that is served: leave --suggest=FILE out, or give --verify";
inline constexpr const char* with_measuring = "sizes that this run measures: leave --suggest=FILE out";

struct LadderArguments {
  std::string sizes = "1,2,4,8:512:+8";
  std::int64_t multiple_of = 0;  // 0: not given
  std::string engine_sizes;
  LadderPolicy policy;
  std::vector<CaptureWhen> when = {CaptureWhen::startup};
  std::string traffic;
  std::vector<std::string> traffic_modes;      // empty: all
  std::optional<std::int64_t> steps = 10'000;  // absent: all
  std::optional<double> arrivals;
  std::vector<std::int64_t> query_lengths;
  std::string closed;  // the most requests at once, or largest_measured; empty: the option is not given
  std::optional<double> prefill_seconds;
  std::string prefill_workload;
  bool no_rivals = false;
  std::optional<double> require_hits;  // share of steps
  std::string suggest;                 // a file or own_measurements; empty: no suggestion is made
  bool fits_engine = false;            // --memory engine
  Budgets budgets;
  std::vector<std::string> engines = ladder::engines();
  bool verify = false;

  // Whether suggestions come from a file, so that no sizes are measured to make them.
  bool from_file() const { return !suggest.empty() && suggest != own_measurements; }
  bool serves() const { return !from_file() || verify; }
  // Engines round sizes up to multiples of the one length that they decode with.
  std::int64_t multiple() const {
    return multiple_of > 0 ? multiple_of : query_lengths.size() == 1 ? query_lengths.front() : 1;
  }
};

void add_options(options::Options& options, LadderArguments& asked);

// All functions throw InputError, which names the option. Call check_*() before anything is measured.
LadderRequest request_of(const LadderArguments& asked, std::int64_t seed);
void check_routes(const LadderRequest& request);
// For a foreign step, which the harness neither builds nor records.
void check_step_ladder(const LadderRequest& request, bool best);
void check_suggestion(const LadderArguments& asked, const LadderRequest& request, const Budgets& budgets);
Budgets budgets_of(const LadderArguments& asked);

}  // namespace graphbench::ladder
