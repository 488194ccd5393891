// Suggestions for everything that a result measured, and their verification. Pure.
#pragma once

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

// From the ladders that were asked for, each by its own calibration, and by its rivals' of sizes that it has
// not. Throws InputError(`where`) and Error as problem_of() and best_ladders() do.
std::vector<model::Suggestion> suggest(const std::vector<model::Ladder>& ladders,
                                       const std::vector<std::int64_t>& rows, const Budgets& budgets,
                                       const std::string& where);
// From graph cells beside eager ones: one for each workload, preset, dtype, pass, warmup and mode. `where`:
// the file.
std::vector<model::Suggestion> suggest(const std::vector<model::CellResult>& cells,
                                       const std::vector<std::int64_t>& rows, const Budgets& budgets,
                                       const std::string& where);

// The ladders that run what was suggested, of the plan's tasks that it was suggested for, but for those that
// are among the measured. Throws InputError("--verify") where no task is one that anything was suggested for.
std::vector<PlannedLadder> plan_verification(const model::Plan& plan, const LadderRequest& request,
                                             const std::vector<model::Suggestion>& suggestions,
                                             const std::vector<model::Ladder>& measured);
// Puts what these came to beside what was expected.
void add_verification(const std::vector<model::Ladder>& ladders, std::vector<model::Suggestion>& suggestions);

}  // namespace graphbench::ladder
