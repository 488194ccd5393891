// The floors of one side's sweeps, each of which measured its own, as one. Internal to this folder.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/instruments.hpp"

namespace graphbench::ab {

// Each floor's median over the sweeps that have it, its counts added up; graphs of many nodes are the
// first's, for sweeps measure none. Absent where there are no floors.
std::optional<model::Floors> merge_floors(const std::vector<model::Floors>& floors);

}  // namespace graphbench::ab
