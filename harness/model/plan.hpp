// The plan of a sweep as plain data: the options after command line and configuration file are merged and
// checked, the cells, and the worker processes that measure them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::model {

// Bounds of one cell's sampling in each pass.
struct SamplingBounds {
  double seconds_max = 0.15;        // --time-per-cell, over the passes together
  std::int64_t samples_max = 2000;  // --samples-max, each pass
};

// How steps meet a caller of their own (axis `io`), as the options word it.
struct CallerOptions {
  std::string addresses = "rotate";       // --io-addresses
  std::string mutated_inputs = "refuse";  // --mutated-inputs
  std::string on_skip = "record";         // --on-skip
  std::string capture_stream = "own";     // --capture-stream
  bool check_addresses = false;           // --check-addresses
  std::vector<std::int64_t> tune_sizes;   // --tune-sizes; empty: every size has library choices of its own
  std::string dump_graph;                 // --dump-graph, an absolute path; empty: none
};
// Whether batches of this size have library choices of their own.
bool is_tuned(const CallerOptions& options, std::int64_t size);
// The options away from their default that change what is measured, by the option's name. They identify a
// plan.
std::map<std::string, std::string> settings_of(const CallerOptions& options);

// Programs that were compiled ahead of time (--package); empty: the workload's are built.
struct PackageFiles {
  std::string file;  // absolute paths
  std::string weights;
  std::string digest;       // of the file
  bool low_memory = false;  // --low-memory ON
};

// One worker process: a (workload, preset, dtype, pass, mode, warmup) and all its batches.
// Everything a worker needs travels in here.
struct WorkerTask {
  std::string device;  // "cuda:0", "host"
  std::string workload;
  std::string preset;
  std::string dtype;
  std::string pass;
  std::string mode;
  std::int64_t warmup = 0;
  std::map<std::string, std::string> more_axes;  // as in Cell
  std::vector<std::int64_t> batches;             // as planned; the worker captures largest first
  std::int64_t launch = 0;
  std::uint64_t seed = 1;
  SamplingBounds sampling;
  std::vector<std::string> plugins;             // absolute paths
  std::map<std::string, std::int64_t> options;  // `--set` of this workload, without its prefix
  std::vector<std::string> split_ops;           // empty: the workload's own
  CallerOptions caller;
  PackageFiles package;
  InstrumentOptions instruments;
  std::int64_t spawned_ns = 0;  // when its worker was started, on the machine's monotonic clock; 0: not yet
};

struct Plan {
  PlanFacts facts;
  std::string device;
  std::vector<Cell> cells;        // in a stable order: axes as given, mode innermost
  std::vector<WorkerTask> tasks;  // all launches, in the order they will run
};

}  // namespace graphbench::model
