// Who listens to a running sweep.
#pragma once

#include <vector>

#include "harness/model/progress.hpp"
#include "harness/model/result.hpp"

namespace graphbench::sweep {

// Called from the sweep's thread.
class Progress {
 public:
  virtual ~Progress() = default;
  // About once a second and whenever something changed.
  virtual void update(const model::Progress& progress) = 0;
  // Between two workers, while nothing is measured: cells whose launches are all in, with their summaries.
  // Told again with cells of other modes, whose arrival makes speedups known.
  virtual void cells_done(const std::vector<model::CellResult>&) {}
};

}  // namespace graphbench::sweep
