// Results with fixed numbers, for golden files and reporters' unit tests. No machine measured the numbers:
// they are chosen so that every unit, width and missing value occurs.
#pragma once

#include "harness/model/result.hpp"

namespace graphbench::samples {

// Summarizes as a sweep does, because readers refuse other summaries. What depends on samples is fixed
// instead.
void summarize(model::Result& result);

// One workload on a CUDA-like device, three modes, one cell failed and one skipped.
model::Result small_result();

// small_result() with floors, profiles, the machine's state, paths, and what other instruments add.
model::Result instruments_result();

// An interrupted sweep with three launches and without eager: pending cells, intervals, no speedups.
model::Result interrupted_result();

// As wide as the default sweep: 3 workloads x 3 modes x 9 batches x 4 warmups = 324 cells, all ok.
model::Result default_sweep_result();

}  // namespace graphbench::samples
