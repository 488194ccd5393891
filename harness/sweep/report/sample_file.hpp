// Every sample of a result in one columnar file, which NumPy reads with `numpy.load(FILE)`.
//
// A ZIP of NumPy arrays (.npz), one row per sample, in measuring order within a cell, launch and pass:
//   cell            i4   index into `cells`
//   launch          i4   index of the worker process
//   pass            u1   index into `passes`: 0 latency, 1 device
//   order           i4   position within cell, launch and pass; in the latency pass, 0 is the first step
//   started_ns      i8   the step's start, by the machine's monotonic clock, in nanoseconds
//   seconds         f8   the step's latency or device time, by pass
//   submit_seconds  f8   host time of submission; NaN in the device pass
//   placement       u1   0: the ramp (first steps), in no summary; else the launch's placement, from 1
//   throttled       u1   1: the device was throttled after one of the launch's visits to this cell
// The archive also has two tables: cells (S, the ids) and passes (S).
#pragma once

#include <string>
#include <vector>

#include "harness/model/instruments.hpp"
#include "harness/model/result.hpp"

namespace graphbench::sweep {

// Returns the file's bytes. Throws std::runtime_error if the archive cannot be made.
std::string to_sample_file(const model::Result& result);

// A timeline in the Chrome trace format: one process per TraceProcess, with one thread for the host's track
// and one for the device's. Timestamps are in microseconds since the first span of all processes.
std::string to_chrome_trace(const std::vector<model::TraceProcess>& processes);

}  // namespace graphbench::sweep
