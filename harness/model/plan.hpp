// The plan of a sweep as plain data: the checked options of command line and configuration file, the cells,
// and the tasks of the worker processes that measure the cells.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::model {

struct SamplingBounds {
  double seconds_max = 0.15;        // --time-per-cell, for all passes together
  std::int64_t samples_max = 2000;  // --samples-max, for each pass
};

// How steps use their caller's memory (axis `io`). A text is the value of the option with the member's name,
// or of the option that the comment names.
struct CallerOptions {
  std::string addresses = "rotate";  // --io-addresses
  std::string mutated_inputs = "refuse";
  std::string on_skip = "record";
  std::string capture_stream = "own";
  bool check_addresses = false;
  std::vector<std::int64_t> tune_sizes;  // --tune-sizes; empty: each size has its own library choices
  std::string dump_graph;                // an absolute path; empty: no dump
};
// Whether batches of this size have their own library choices.
bool is_tuned(const CallerOptions& options, std::int64_t size);
// Returns, by name, the options that change the measurement and are not at their default. A plan's hash
// includes them.
std::map<std::string, std::string> settings_of(const CallerOptions& options);

// The files of a package, which has programs compiled ahead of time. If `file` is empty, the workload builds
// its programs.
struct PackageFiles {
  std::string file;  // --package, an absolute path
  std::string weights;
  std::string digest;  // of `file`
  bool low_memory = false;
};

// The work of one worker process: all batches of a (workload, preset, dtype, pass, mode, warmup).
struct WorkerTask {
  std::string device;  // "cuda:0", "host"
  std::string workload;
  std::string preset;
  std::string dtype;
  std::string pass;
  std::string mode;
  std::int64_t warmup = 0;
  std::map<std::string, std::string> more_axes;
  std::vector<std::int64_t> batches;  // as planned; the worker captures largest first
  std::int64_t launch = 0;
  std::uint64_t seed = 1;
  SamplingBounds sampling;
  std::vector<std::string> plugins;             // absolute paths
  std::map<std::string, std::int64_t> options;  // key -> value of each --set for this workload
  std::vector<std::string> split_ops;           // empty: the workload's default
  CallerOptions caller;
  PackageFiles package;
  InstrumentOptions instruments;
  std::int64_t spawned_ns = 0;  // start of the worker, on the machine's monotonic clock; 0: not started
};

struct Plan {
  PlanFacts facts;
  std::string device;
  std::string no_gpu = {};        // why --device auto took the host; empty if it did not
  std::vector<Cell> cells;        // in the order of cells_of() (axes.hpp)
  std::vector<WorkerTask> tasks;  // of all launches, in the order of execution
};

}  // namespace graphbench::model
