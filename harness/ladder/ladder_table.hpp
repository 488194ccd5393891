// Prints ladders, a suggestion and the best modes on the console; writes ladders as Prometheus series.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "harness/ladder/ladder.hpp"
#include "reporters/prometheus_text.hpp"

namespace graphbench::reporters {

// Prints one block per ladder, with the numbers of its first launch.
void print_ladders(std::ostream& out, const std::vector<model::Ladder>& ladders, bool colours);
// `flags`: the engines' options, one line each.
void print_suggestion(std::ostream& out, const model::Suggestion& made, const std::vector<std::string>& flags,
                      bool colours);
void print_best(std::ostream& out, const model::BestModes& best, bool colours);

const std::vector<Family<model::Ladder>>& ladder_families();

// The series of all ladders in the Prometheus text format. A ladder without launches has no series.
std::string ladders_text(const std::string& device, const std::vector<model::Ladder>& ladders);

}  // namespace graphbench::reporters
