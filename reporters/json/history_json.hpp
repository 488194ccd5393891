// A history's entries, or one cell's series with its changes, as JSON for scripts.
#pragma once

#include <string>
#include <vector>

#include "harness/model/history.hpp"

namespace graphbench::reporters {

std::string to_json(const std::vector<model::HistoryEntry>& entries);
std::string to_json(const model::CellHistory& history);

}  // namespace graphbench::reporters
