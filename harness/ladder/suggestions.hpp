// Finds the best sizes and modes of a result: suggestions for everything that it measured, their
// verification, and the fastest mode at each size. Pure.
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
  // the budget is the memory of a ladder of these sizes; empty: it is memory_bytes
  std::vector<std::int64_t> memory_of;
  std::optional<double> startup_seconds;
};

// Makes suggestions from the requested ladders. Each uses the steps that it served, and its rivals' steps of
// sizes that it lacks. Throws InputError(`where`) and Error as problem_of() and best_ladders() do.
std::vector<model::Suggestion> suggest(const std::vector<model::Ladder>& ladders,
                                       const std::vector<std::int64_t>& rows, const Budgets& budgets,
                                       const std::string& where);
// Makes suggestions from graph cells and their eager cells, one for all batches of a cell. `where`: the file.
std::vector<model::Suggestion> suggest(const std::vector<model::CellResult>& cells,
                                       const std::vector<std::int64_t>& rows, const Budgets& budgets,
                                       const std::string& where);

// The ladders that serve the suggested sizes, and eager, for the plan's tasks with a suggestion, without
// those that were measured already. Throws InputError("--verify") if no task has a suggestion.
std::vector<PlannedLadder> plan_verification(const model::Plan& plan, const LadderRequest& request,
                                             const std::vector<model::Suggestion>& suggestions,
                                             const std::vector<model::Ladder>& measured);
// The largest share by which served times may differ from predicted ones.
inline constexpr double disagreement_max = 0.1;
// Adds the served times to each suggestion, and the reason if it is not a suggestion.
void add_verification(const std::vector<model::Ladder>& ladders, std::vector<model::Suggestion>& suggestions);

inline constexpr double gain_that_counts = 0.02;

// Finds the best modes of the requested ladders, one for each workload, preset, dtype, pass and warmup.
// `tokens_of` says how many tokens a unit of the batch has; absent if it has none.
std::vector<model::BestModes> best_modes(
    const std::vector<model::Ladder>& ladders,
    const std::function<std::optional<std::int64_t>(const model::Cell&)>& tokens_of);

}  // namespace graphbench::ladder
