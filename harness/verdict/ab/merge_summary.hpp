// The summaries of cells whose launches came from several documents. Internal to this folder.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/model/instruments.hpp"

namespace graphbench::ab {

// A cell's summaries as the documents had them, one a launch.
using LaunchSummaries = std::vector<nlohmann::ordered_json>;

nlohmann::ordered_json empty_summary();

// Fills `summary` of every cell that is ok, from its launches as harness/measure does, and what needs
// the samples themselves (within_launch, steady_after) from the launches' own summaries. `floors` are those
// of the merged document, so that its readers can check submit_over_floor.
void summarize(nlohmann::ordered_json& cells, const std::map<std::string, LaunchSummaries>& summaries,
               const model::Floors& floors);

}  // namespace graphbench::ab
