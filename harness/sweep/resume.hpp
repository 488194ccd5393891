// What an interrupted sweep leaves to be done. Pure.
#pragma once

#include <vector>

#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

namespace graphbench::sweep {

struct Remainder {
  std::vector<model::CellResult> taken_over;  // marked as such
  std::vector<model::WorkerTask> tasks;       // of the plan's, in their order
};

// `finished`: cells as an earlier run of this plan told them, with their summaries. Batches of a worker share
// its pool, so a ladder is taken over if all its cells are finished and none failed; else it is measured
// again.
Remainder remainder_of(const model::Plan& plan, const std::vector<model::CellResult>& finished);

}  // namespace graphbench::sweep
