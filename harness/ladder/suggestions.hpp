// Finds the best sizes and modes in a result: suggestions for each measured ladder or cell, their
// verification, and the fastest mode at each size. No function does I/O.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/ladder/ladder.hpp"
#include "harness/ladder/plan_ladders.hpp"

namespace graphbench::ladder {

struct Budgets {
  std::optional<std::int64_t> sizes_max;
  std::optional<double> memory_bytes;
  // if not empty, the budget is the memory of a ladder of these sizes
  std::vector<std::int64_t> memory_of;
  std::optional<double> startup_seconds;
};

// Makes a suggestion from the served steps of each requested ladder. Times of sizes that the ladder lacks
// come from other ladders with its program. Throws InputError(`where`) and Error like problem_of() and
// best_ladders().
std::vector<Suggestion> suggest(const std::vector<Ladder>& ladders, const std::vector<std::int64_t>& rows,
                                const Budgets& budgets, const std::string& where);
// Makes a suggestion from graph cells that differ only in batch, and their eager cells; leaves graph cells
// aside that have no eager cell. `where`: the file. Throws InputError, also if nothing is left.
std::vector<Suggestion> suggest(const std::vector<model::CellResult>& cells,
                                const std::vector<std::int64_t>& rows, const Budgets& budgets,
                                const std::string& where);

// Plans ladders that serve the suggested sizes, and eager ladders, for tasks with a suggestion. Leaves out
// ladders that are already measured. Throws InputError("--verify") if no task has a suggestion.
std::vector<PlannedLadder> plan_verification(const model::Plan& plan, const LadderRequest& request,
                                             const std::vector<Suggestion>& suggestions,
                                             const std::vector<Ladder>& measured);
// The maximum relative difference between served and predicted times.
inline constexpr double disagreement_max = 0.1;
// Adds the served times to each suggestion that was served. `no_suggestion` then says why they do not confirm
// the suggestion, or is empty.
void add_verification(const std::vector<Ladder>& ladders, std::vector<Suggestion>& suggestions);

inline constexpr double gain_that_counts = 0.02;

// Finds the fastest mode of each size, for each workload, preset, dtype, pass and warmup. `tokens_of`: tokens
// per unit of the batch, if any.
std::vector<BestModes> best_modes(
    const std::vector<Ladder>& ladders,
    const std::function<std::optional<std::int64_t>(const model::Cell&)>& tokens_of);

}  // namespace graphbench::ladder
