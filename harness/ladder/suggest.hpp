// Finds the ladder of least expected step time under a traffic, within budgets. It is exact for the given
// times: every subset counts, eager steps beyond the ladder too, and no time is assumed to grow with the
// size. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/ladder/ladder.hpp"

namespace graphbench::ladder {

// A size that could be captured.
struct Candidate {
  std::int64_t size = 0;
  double step_seconds = 0;     // time of its graph, for any number of rows
  double startup_seconds = 0;  // what capturing it adds
  double exec_bytes = 0;       // likewise
  double pool_bytes = 0;       // bytes of its own pool; a ladder's sizes share one, as large as the largest
  bool measured = true;        // else by interpolation
};

struct SuggestProblem {
  std::map<std::int64_t, std::int64_t> steps;  // rows -> how often
  std::vector<Candidate> candidates;           // ascending
  std::map<std::int64_t, double> eager;        // eager seconds by rows, for all rows in `steps`
  std::optional<std::int64_t> sizes_max;
  std::optional<double> memory_bytes;
  std::optional<double> startup_seconds;
};

struct Choice {
  std::vector<std::int64_t> sizes;  // ascending; none: all eager is best
  double seconds = 0;               // of all steps together
  double startup_seconds = 0;
  double memory_bytes = 0;
};

// For each number of sizes, the best ladder that is better than with fewer sizes, so the last one is the best
// of all. It begins with no size. Throws Error(unsupported) if too many ladders fit both budgets to compare
// them all; fewer candidates help.
std::vector<Choice> best_ladders(const SuggestProblem& problem);

// The measurements of one workload, by size: of a graph mode, and eagerly.
struct Measurements {
  std::map<std::int64_t, double> step_seconds;
  std::map<std::int64_t, double> startup_seconds;
  std::map<std::int64_t, double> exec_bytes;  // may be empty, as on a host
  std::map<std::int64_t, double> pool_bytes;
  std::map<std::int64_t, double> eager;
};
// Step times are means of the served steps, so they add up, including rare long ones. Everything else is a
// median over the launches.
Measurements measurements_of(const model::Ladder& ladder);
// Measurements with step times as means: of the graph cells of one workload, preset, dtype, pass, warmup and
// mode, and of eager.
Measurements measurements_of(const std::vector<model::CellResult>& cells, const model::Cell& of);

// The predicted time of a ladder of these sizes, with memory counted as in best_ladders(). Throws
// InputError(`where`) for a size that is neither measured nor between measured sizes.
double memory_of(const Measurements& measured, const std::vector<std::int64_t>& sizes,
                 const std::string& where);

// Candidates are the measured sizes and, by interpolation between them, the other sizes of the traffic.
// Throws InputError(`where`) if no graph was measured, or no step as large as the traffic's.
SuggestProblem problem_of(const Measurements& measured, const std::vector<std::int64_t>& rows,
                          const std::string& where);

// The flag that gives these sizes to an engine: "vllm", "sglang" or "trtllm", in the versions that
// docs/reference/ladder.md names. `pad` says whether the engine pads steps, for engines with such a flag.
// There is at least one size.
const std::vector<std::string>& engines();
std::string flag_for(const std::string& engine, const std::vector<std::int64_t>& sizes, model::LadderPad pad);

}  // namespace graphbench::ladder
