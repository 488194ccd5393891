// Results with fixed numbers that golden files and reporters' unit tests are made from. The numbers
// are of no machine: they are chosen so that every unit, width and missing value occurs.
#pragma once

#include "harness/model/result.hpp"

namespace graphbench::samples {

// One workload on a CUDA-like device, three modes, one cell failed and one skipped.
model::Result small_result();

// The same with floors, profiles, the machine around each cell, paths, and what a sweep may ask for.
model::Result instruments_result();

// Interrupted, three launches, no eager: pending cells, intervals, no speedups.
model::Result interrupted_result();

// As wide as the default sweep: 3 workloads x 3 modes x 9 batches x 4 warmups = 324 cells, all ok.
model::Result default_sweep_result();

}  // namespace graphbench::samples
