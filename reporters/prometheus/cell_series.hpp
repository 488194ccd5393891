// The series of one cell: which numbers of a cell's result become metrics, under which names.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::reporters {

// Series are shown in this order, which is a person's: batches by number, not by spelling.
struct CellKey {
  std::string device;
  model::Cell cell;
  friend bool operator<(const CellKey& a, const CellKey& b) {
    const auto tie = [](const CellKey& key) {
      const model::Cell& cell = key.cell;
      return std::tie(key.device, cell.workload, cell.preset, cell.dtype, cell.pass, cell.batch, cell.warmup,
                      cell.mode, cell.more_axes);
    };
    return tie(a) < tie(b);
  }
};

// The lines of one cell or comparison in each family's text, in the order of families(); empty where it has
// no such number. Rendered when the cell changes, so that a scrape only puts lines together.
using CellLines = std::vector<std::string>;

// A cell that is not ok has no lines.
CellLines lines_of(const CellKey& key, const model::CellResult& cell);

}  // namespace graphbench::reporters
