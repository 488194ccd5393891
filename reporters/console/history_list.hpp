// The entries of a history as a table, oldest first.
#pragma once

#include <ostream>
#include <vector>

#include "harness/model/history.hpp"

namespace graphbench::reporters {

void print_entries(std::ostream& out, const std::vector<model::HistoryEntry>& entries, bool colours);

}  // namespace graphbench::reporters
