// What the console shows of ladders, of a suggestion and of the best modes.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "harness/ladder/ladder.hpp"

namespace graphbench::reporters {

// A block for each; of several launches the first.
void print_ladders(std::ostream& out, const std::vector<model::Ladder>& ladders, bool colours);
// `flags`: what to give to engines, a line each.
void print_suggestion(std::ostream& out, const model::Suggestion& made, const std::vector<std::string>& flags,
                      bool colours);
void print_best(std::ostream& out, const model::BestModes& best, bool colours);

}  // namespace graphbench::reporters
