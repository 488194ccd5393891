// Prints ladders, a suggestion and the best modes on the console; and writes the series of ladders that
// served traffic (`graphbench ladder --prometheus-textfile`).
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "harness/ladder/ladder.hpp"
#include "harness/sweep/report/families.hpp"

namespace graphbench::reporters {

// Prints one block per ladder, from the first of its launches.
void print_ladders(std::ostream& out, const std::vector<model::Ladder>& ladders, bool colours);
// `flags`: the options for engines, one per line.
void print_suggestion(std::ostream& out, const model::Suggestion& made, const std::vector<std::string>& flags,
                      bool colours);
void print_best(std::ostream& out, const model::BestModes& best, bool colours);

const std::vector<FamilyRow>& ladder_families();

// Returns the series of all ladders in the text format. A ladder without launches has no series.
std::string ladders_text(const std::string& device, const std::vector<model::Ladder>& ladders);

}  // namespace graphbench::reporters
