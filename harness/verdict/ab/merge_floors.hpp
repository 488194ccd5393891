// The floors of one side's sweeps, each of which measured its own, as one. Internal to this folder.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "harness/model/instruments.hpp"

namespace graphbench::ab {

// Of `environment.floors` as the documents had them: each floor's median over the sweeps, its counts added
// up; ladders are the first's, for sweeps measure none. Null where there are no floors.
nlohmann::ordered_json merge_floors(const std::vector<nlohmann::ordered_json>& floors);

// What submit times are read against; absent as in `merged`.
model::Floors launch_floors(const nlohmann::ordered_json& merged);

}  // namespace graphbench::ab
