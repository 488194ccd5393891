// The interface to which a running sweep reports. Implementations serve a terminal, Prometheus, the service.
#pragma once

#include <vector>

#include "harness/model/progress.hpp"
#include "harness/model/result.hpp"

namespace graphbench::sweep {

// Called from the sweep's thread.
class SweepListener {
 public:
  virtual ~SweepListener() = default;
  // Called about once per second, and whenever something has changed.
  virtual void update(const model::Progress& progress) = 0;
  // Called between two workers, while nothing is measured, with cells whose launches have all ended and with
  // their summaries. A cell is passed again when cells of other modes determine its speedup.
  virtual void cells_done(const std::vector<model::CellResult>&) {}
};

}  // namespace graphbench::sweep
