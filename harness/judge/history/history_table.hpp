// Prints a history on the console: its entries, and one cell's series as a plot.
#pragma once

#include <ostream>
#include <vector>

#include "harness/judge/history/history.hpp"

namespace graphbench::reporters {

void print_entries(std::ostream& out, const std::vector<model::HistoryEntry>& entries, bool colours);

struct PlotOptions {
  int width = 80;  // columns, 40 at least
  int rows = 10;
  bool unicode = true;
  bool colours = false;
};

void print_history(std::ostream& out, const model::CellHistory& history, const PlotOptions& options);

}  // namespace graphbench::reporters
