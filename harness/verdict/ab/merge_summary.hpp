// The summaries of cells whose launches came from several results. Internal to this folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::ab {

// Fills `summary` of every cell that is ok, from its launches as harness/measure does, and what needs the
// samples themselves (within_launch, steady_after) from the launches' own summaries, which `own` has by cell
// id. `floors` are those of the merged result, so that its readers can check submit_over_floor.
void summarize(std::vector<model::CellResult>& cells,
               const std::map<std::string, std::vector<model::CellSummary>>& own,
               const model::Floors& floors);

}  // namespace graphbench::ab
