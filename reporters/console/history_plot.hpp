// One cell's history on the terminal: its points, its levels, and where they changed.
#pragma once

#include <ostream>

#include "harness/model/history.hpp"

namespace graphbench::reporters {

struct PlotOptions {
  int width = 80;  // columns, 40 at least
  int rows = 10;
  bool unicode = true;
  bool colours = false;
};

void print_history(std::ostream& out, const model::CellHistory& history, const PlotOptions& options);

}  // namespace graphbench::reporters
