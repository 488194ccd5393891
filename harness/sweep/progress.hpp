// Who listens to a running sweep.
#pragma once

#include "harness/model/progress.hpp"

namespace graphbench::sweep {

// Called from the sweep's thread, about once a second and whenever something changed.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void update(const model::Progress& progress) = 0;
};

}  // namespace graphbench::sweep
