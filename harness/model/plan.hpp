// The plan of a sweep as plain data: the cells, and the tasks of the worker processes that measure them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/model/result.hpp"
#include "harness/model/settings.hpp"

namespace graphbench::model {

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
  std::map<std::string, std::int64_t> options;  // key -> value of each --set for this workload
  Settings settings;
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
