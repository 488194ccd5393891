// Finds the ladder with the least expected step time for a traffic, within budgets. The result is exact for
// the given times: the search covers all subsets of sizes, with eager steps beyond the largest size. It does
// not assume that larger sizes take longer. No function does I/O.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/ladder/ladder.hpp"

namespace graphbench::ladder {

struct Candidate {
  std::int64_t size = 0;
  double step_seconds = 0;  // time of the size's graph, for any number of rows
  double startup_seconds = 0;
  double exec_bytes = 0;
  double pool_bytes = 0;  // the size's own pool; a ladder's sizes share a pool as large as the largest
  bool measured = true;   // false: with the values of the next larger measured size
};

struct SuggestProblem {
  std::map<std::int64_t, std::int64_t> steps;  // rows -> number of steps
  std::vector<Candidate> candidates;           // ascending
  std::map<std::int64_t, double> eager;        // seconds of an eager step by rows, for all rows in `steps`
  std::map<std::int64_t, double> eager_least;  // the same, but what was not measured is never too high
  std::optional<std::int64_t> sizes_max;
  std::optional<double> memory_bytes;
  std::optional<double> startup_seconds;
};

struct Choice {
  std::vector<std::int64_t> sizes;  // ascending; empty: running all steps eagerly is best
  double seconds = 0;               // the sum over all steps
  double startup_seconds = 0;
  double memory_bytes = 0;
};

// The best ladder for each number of sizes from 0 on, if better than all with fewer sizes; the last is the
// best of all. Throws Error(unsupported) if too many ladders fit both budgets to be compared.
std::vector<Choice> best_ladders(const SuggestProblem& problem);

// The measurements of one workload by size, in one graph mode and eager.
struct Measurements {
  std::map<std::int64_t, double> step_seconds;
  std::map<std::int64_t, double> startup_seconds;
  std::map<std::int64_t, double> exec_bytes;  // empty if not known, as on a host
  std::map<std::int64_t, double> pool_bytes;
  std::map<std::int64_t, double> eager;
};
// Step times, also of eager steps, are means over the served steps, so that rare long steps count. All other
// values are medians over launches.
Measurements measurements_of(const Ladder& ladder);
// Measurements from the graph cells of one workload, preset, dtype, pass, warmup and mode, and from the eager
// cells. Step times are means.
Measurements measurements_of(const std::vector<model::CellResult>& cells, const model::Cell& of);

// Predicts the memory of a ladder with these sizes; between measured sizes by interpolation, because this is
// a budget. Throws InputError(`where`) for a size outside of the measured sizes.
double memory_of(const Measurements& measured, const std::vector<std::int64_t>& sizes,
                 const std::string& where);

// What was measured at `size`, else at the next larger size, so that a step that costs by tiles is never
// priced too low. Absent beyond the largest size.
std::optional<double> priced(const std::map<std::int64_t, double>& measured, std::int64_t size);

// Candidates are the largest multiples of `multiple_of` up to each measured size. Throws InputError(`where`)
// if no graph or no eager step was measured, or none as large as the largest step.
SuggestProblem problem_of(const Measurements& measured, const std::vector<std::int64_t>& rows,
                          const std::string& where, std::int64_t multiple_of = 1);

// What a ladder of any sizes takes for the problem's steps. Absent if a size is beyond the measured ones.
std::optional<Choice> cost_of(const Measurements& measured, const SuggestProblem& problem,
                              const std::vector<std::int64_t>& sizes);
bool fits(const SuggestProblem& problem, const Choice& choice);

// The known engines, in the versions that docs/reference/ladder.md names.
const std::vector<std::string>& engines();
// What an engine captures by default, on one GPU, in units of sizes. Some engines count requests, where
// `query_lengths` makes sizes tokens; absent if such an engine and several lengths are given.
std::optional<std::vector<std::int64_t>> default_sizes(const std::string& engine,
                                                       const std::vector<std::int64_t>& query_lengths = {});
// The setting that gives `sizes`, which must not be empty, to an engine. `pad` applies to engines with a
// setting for padding.
EngineFlag flag_for(const std::string& engine, const std::vector<std::int64_t>& sizes, LadderPad pad,
                    const std::vector<std::int64_t>& query_lengths = {});

}  // namespace graphbench::ladder
