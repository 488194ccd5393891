// The summaries of cells whose launches came from several documents. Internal to this folder.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace graphbench::ab {

// A cell's summaries as the documents had them, one a launch.
using LaunchSummaries = std::vector<nlohmann::ordered_json>;

nlohmann::ordered_json empty_summary();

// Fills `summary` of every cell that is ok, from its launches as harness/measure does, and what needs
// the samples themselves (within_launch, steady_after) from the launches' own summaries.
void summarize(nlohmann::ordered_json& cells, const std::map<std::string, LaunchSummaries>& summaries);

}  // namespace graphbench::ab
