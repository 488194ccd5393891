// The series of ladders that served traffic (`graphbench ladder --prometheus-textfile`).
#pragma once

#include <string>
#include <vector>

#include "harness/ladder/ladder.hpp"
#include "harness/sweep/report/families.hpp"

namespace graphbench::reporters {

const std::vector<FamilyRow>& ladder_families();

// All of them in the text format. A ladder without launches has no series.
std::string ladders_text(const std::string& device, const std::vector<model::Ladder>& ladders);

}  // namespace graphbench::reporters
