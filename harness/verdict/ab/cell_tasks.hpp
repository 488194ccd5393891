// `--alternate cell`: what alternates between the sides is one cell, not a batch ladder. Pure.
#pragma once

#include "harness/model/plan.hpp"

namespace graphbench::ab {

// `plan` with a task of its own, which is a process of its own, for every batch of a ladder. Where there was
// a ladder the hash is another, because something else is measured: a cell that is alone in its process
// captures first, into an empty pool. A plan of single batches comes back as it was.
model::Plan one_cell_a_task(model::Plan plan);

}  // namespace graphbench::ab
