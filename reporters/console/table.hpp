// The table at the end of a sweep: a row a workload, batch and warmup, the modes side by side.
#pragma once

#include <ostream>
#include <string>

#include "harness/model/result.hpp"

namespace graphbench::reporters {

struct TableOptions {
  bool colours = false;
  int width = 120;        // columns of the terminal; three modes need 120, else each gets its own line
  std::string json_path;  // where the result was written; empty: it is not mentioned
};

// Times are medians; `capture` is capture + instantiate + upload. Failed and skipped cells show their
// reason's code in place and are listed below the table with their messages.
void print_table(std::ostream& out, const model::Result& result, const TableOptions& options);

}  // namespace graphbench::reporters
