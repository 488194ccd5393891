// Every sample of a result in one columnar file that NumPy opens by itself: `numpy.load(FILE)`.
//
// A ZIP of NumPy arrays (.npz), a row a sample, in the order taken within a cell, launch and pass:
//   cell            i4   index into `cells`
//   launch          i4   index of the worker process
//   pass            u1   index into `passes`: 0 latency, 1 device
//   order           i4   position within cell, launch and pass; 0 of latency is the first step ever
//   started_ns      i8   when the step began, the machine's monotonic clock
//   seconds         f8   the pass's time: latency, or device
//   submit_seconds  f8   host time of submission; NaN in the device pass
//   placement       u1   0: the ramp, which no summary counts; else the number of the launch's placement
//   throttled       u1   1: the device was throttled after one of the launch's visits to this cell
// and the two tables: cells (S, the ids) and passes (S).
#pragma once

#include <string>
#include <vector>

#include "harness/model/instruments.hpp"
#include "harness/model/result.hpp"

namespace graphbench::reporters {

// Returns the file's bytes. Throws std::runtime_error if the archive cannot be made.
std::string to_sample_file(const model::Result& result);

// A timeline in the Chrome trace format: one process per TraceProcess, with one thread for the host's track
// and one for the device's. Timestamps are in microseconds since the first span of all processes.
std::string to_chrome_trace(const std::vector<model::TraceProcess>& processes);

}  // namespace graphbench::reporters
