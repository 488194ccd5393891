// Finds the best sizes and modes in a result: suggestions for each measured ladder or cell, their
// verification, and the fastest mode at each size. No function does I/O.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/ladder/ladder.hpp"
#include "harness/ladder/plan_ladders.hpp"
#include "harness/ladder/suggest.hpp"

namespace graphbench::ladder {

struct Budgets {
  std::optional<std::int64_t> sizes_max = {};
  std::optional<double> memory_bytes = {};
  // if not empty, the budget is the memory of a ladder of these sizes
  std::vector<std::int64_t> memory_of = {};
  std::optional<double> startup_seconds = {};
  std::int64_t multiple_of = 1;                 // of all sizes, suggested ones and those of rivals
  std::vector<std::string> engines = {};        // whose default lists are rivals
  std::vector<std::int64_t> engine_sizes = {};  // a rival too, if not empty
  // tokens of a request in a step, in which sizes are then counted; empty: sizes are requests
  std::vector<std::int64_t> query_lengths = {};
};

// What one suggestion is made from.
struct MeasuredGroup {
  model::Cell cell;
  std::string from;   // a file, or the id of the ladder
  std::string where;  // begins a message
  Measurements measured;
  std::vector<std::int64_t> sizes = {};  // captured ones, ascending; of a sweep all measured ones
  std::string trust = {};                // why the result is little trusted; empty: it is
};
// A group for each requested ladder, by the steps that it served. Times of sizes that it lacks come from
// other ladders with its program.
std::vector<MeasuredGroup> measured_groups(const std::vector<Ladder>& ladders, const std::string& where);
// A group for graph cells that differ only in batch, and their eager cells; leaves graph cells aside that
// have no eager cell. `where`: the file. Throws InputError if nothing is left.
std::vector<MeasuredGroup> measured_groups(const std::vector<model::CellResult>& cells,
                                           const std::string& where);

// Throws InputError and Error like problem_of() and best_ladders().
Suggestion suggest(const MeasuredGroup& from, const Trace& trace, const Budgets& budgets);

// Plans ladders that serve the suggested sizes, those of its rivals, and none, for tasks with a suggestion.
// Leaves out ladders that are already measured. Throws InputError("--verify") if no task has a suggestion.
std::vector<PlannedLadder> plan_verification(const model::Plan& plan, const LadderRequest& request,
                                             const std::vector<Suggestion>& suggestions,
                                             const std::vector<Ladder>& measured);
// Adds the served times to each suggestion that was served, and to its rivals. `no_suggestion` then says why
// they do not confirm the suggestion, or is empty.
void add_verification(const std::vector<Ladder>& ladders, std::vector<Suggestion>& suggestions);
// Adds the memory of graphs that was measured where the suggested sizes were served. Without a verification
// too: a ladder that was asked for can have these sizes.
void add_memory(const std::vector<Ladder>& ladders, std::vector<Suggestion>& suggestions);

inline constexpr double gain_that_counts = 0.02;

// Finds the fastest mode of each size, for each workload, preset, dtype, pass and warmup. `tokens_of`: tokens
// per unit of the batch, if any.
std::vector<BestModes> best_modes(
    const std::vector<Ladder>& ladders,
    const std::function<std::optional<std::int64_t>(const model::Cell&)>& tokens_of);

}  // namespace graphbench::ladder
