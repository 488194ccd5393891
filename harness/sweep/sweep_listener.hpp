// What a running sweep reports to: a terminal, a file of metrics, the service.
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
  // Between two workers, while nothing is measured: cells whose launches are all in, with their summaries.
  // A cell comes again when cells of other modes make its speedup known.
  virtual void cells_done(const std::vector<model::CellResult>&) {}
};

}  // namespace graphbench::sweep
