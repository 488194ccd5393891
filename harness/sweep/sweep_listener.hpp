// The interface to which a running sweep reports: a terminal, a file of metrics, the service.
#pragma once

#include <vector>

#include "harness/model/progress.hpp"
#include "harness/model/result.hpp"

namespace graphbench::sweep {

// Called from the sweep's thread.
class SweepListener {
 public:
  virtual ~SweepListener() = default;
  // Called about once per second and whenever something changed.
  virtual void update(const model::Progress& progress) = 0;
  // Called between two workers, while nothing is measured, with cells whose launches have all ended, and
  // their summaries. A cell comes again when cells of other modes make its speedup known.
  virtual void cells_done(const std::vector<model::CellResult>&) {}
};

}  // namespace graphbench::sweep
