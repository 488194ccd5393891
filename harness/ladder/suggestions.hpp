// What a result shows to be best, sizes and modes: suggestions for everything that it measured and their
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
  std::vector<std::int64_t> memory_of;  // as much memory as a ladder of these; empty: memory_bytes
  std::optional<double> startup_seconds;
};

// From the ladders that were asked for, each by the steps that it served, and by its rivals' of sizes that it
// has not. Throws InputError(`where`) and Error as problem_of() and best_ladders() do.
std::vector<model::Suggestion> suggest(const std::vector<model::Ladder>& ladders,
                                       const std::vector<std::int64_t>& rows, const Budgets& budgets,
                                       const std::string& where);
// From graph cells beside eager ones: one for each but the batch. `where`: the file.
std::vector<model::Suggestion> suggest(const std::vector<model::CellResult>& cells,
                                       const std::vector<std::int64_t>& rows, const Budgets& budgets,
                                       const std::string& where);

// The ladders that run what was suggested, and eager, of the plan's tasks that it was suggested for, but for
// those that are among the measured. Throws InputError("--verify") where no task is one that anything was
// suggested for.
std::vector<PlannedLadder> plan_verification(const model::Plan& plan, const LadderRequest& request,
                                             const std::vector<model::Suggestion>& suggestions,
                                             const std::vector<model::Ladder>& measured);
// The largest share by which served times may differ from predicted ones.
inline constexpr double disagreement_max = 0.1;
// Adds what the ladders served to each suggestion, and the reason where it is not a suggestion.
void add_verification(const std::vector<model::Ladder>& ladders, std::vector<model::Suggestion>& suggestions);

inline constexpr double gain_that_counts = 0.02;

// Finds the best modes of the requested ladders, one for each workload, preset, dtype, pass and warmup.
// `tokens_of` says how many tokens a unit of the batch has; absent where it has none.
std::vector<model::BestModes> best_modes(
    const std::vector<model::Ladder>& ladders,
    const std::function<std::optional<std::int64_t>(const model::Cell&)>& tokens_of);

}  // namespace graphbench::ladder
