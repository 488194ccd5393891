// The bill of captured sizes as plain data: their cost in memory (bytes) and start-up (seconds). These are
// the `bills[]` of the document `graphbench.bill/1`; an empty optional is absent there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::bill {

struct Growth {
  double pool_bytes = 0;
  double workspace_bytes = 0;  // scratch of libraries and ops
  double code_bytes = 0;       // growth before the capture; in a sum over sizes, growth not due to execs
  double exec_bytes = 0;       // growth from the capture to the first replay; in a sum, memory of execs
  double total() const { return pool_bytes + workspace_bytes + code_bytes + exec_bytes; }
};

// One size in one mode. Its costs arise from the end of the previous size's first step to the end of its own.
struct Capture {
  std::int64_t size = 0;
  std::string mode;
  bool captured = true;  // false: the figures are interpolated between two captured sizes
  std::int64_t nodes = 0;
  Growth growth = {};
  // growth.pool_bytes is the growth of the library's tensors, of what is left over in its blocks, and of what
  // is free in the pools of graphs. Each may be negative. Absent if the library does not report them.
  std::optional<double> tensor_bytes = {};
  std::optional<double> leftover_bytes = {};
  // The memory that one additional exec of each of the size's graphs takes, and the resolution of that
  // number. 0 if this size launches another size's exec; absent if it could not be measured.
  std::optional<double> one_exec_bytes = {};
  double exec_resolution_bytes = 0;
  double transient_bytes = 0;  // peak memory during set-up, minus the memory kept afterwards
  double step_seconds = 0;     // the median of a few replays
  // The time of Python's garbage collection in this size's setup and first step. Absent for a program, which
  // needs no Python, and for the first size, before which the library cannot be asked.
  std::optional<double> gc_seconds = {};
  model::Setup setup{};
};

double seconds_of(model::Setup setup);

// An expected value and its interval at the requested confidence.
struct Amount {
  double expected = 0;
  double low = 0;
  double high = 0;
};

struct Prediction {
  std::int64_t captures = 0;  // the number of captures that the prediction uses
  Amount bytes;               // of all sizes together, beyond the static buffers
  Amount seconds;
  double reserve_bytes = 0;  // the memory that must be free before the first capture
  double line_bytes = 0;     // what a serving engine predicts: a line through the first two captures
  Growth growth;             // `pool_bytes` is the sum over `sizes` and a change of leftovers
  model::Setup setup{};
  std::vector<Capture> sizes;  // in the order of captures
};

// The costs that a process measured by capturing every size.
struct Measured {
  double bytes = 0;
  double seconds = 0;
  double error = 0;       // predicted bytes over measured bytes, minus 1
  double line_error = 0;  // line_bytes over measured bytes, minus 1
  bool inside = false;    // whether the predicted interval contains the measured bytes
  Growth growth;
  model::Setup setup{};
  std::vector<Capture> sizes;
};

// Runs in which another allocation leaves only a share of Prediction::reserve_bytes free.
struct ReserveRuns {
  double free_bytes = 0;
  std::int64_t runs = 0;
  std::int64_t failed = 0;
  std::int64_t failed_at = 0;  // the size at which the last failed run stopped; 0: no run failed
  std::string message;
};

// Fewer sizes for the same traffic: they save memory (`bytes`) and start-up time, and cost step time.
struct Trade {
  std::vector<std::int64_t> sizes;  // ascending
  double step_ratio = 0;            // mean step time over the mean step time with all sizes
  double bytes = 0;
  double seconds = 0;
};

// Memory that went back to the device. `driver_bytes` is in no account of graphbench's, such as that of execs
// and code; absent without a driver that reports it.
struct Returned {
  double pool_bytes = 0;
  double workspace_bytes = 0;
  std::optional<double> driver_bytes = {};
  double total() const { return pool_bytes + workspace_bytes + driver_bytes.value_or(0); }
};

// All sizes are captured, then all graphs are destroyed, then their pool is emptied.
struct Cycle {
  std::vector<Capture> captures =
      {};  // in the process's answer alone, from which `took` and `setup` are made
  Growth took = {};
  Returned destroyed = {}, emptied = {};
  Returned kept = {};  // what is used after it, minus what was used before it
  model::Setup setup{};
  double destroy_seconds = 0;
};

// The check of every size against eager, after all cycles.
struct Outputs {
  std::int64_t checked = 0;
  bool identical = true;
  std::string tolerated = {};  // of the last size that is equal only within the limit
  std::int64_t differ_at = 0;  // the first size whose outputs are not equal; 0: none
  std::string message = {};    // how they differ
};

// A process that captures all sizes, destroys them and captures them again, as a server that sleeps and
// wakes.
struct Sleep {
  std::vector<Cycle> cycles = {};
  model::Setup again{};      // of the capture after the last cycle
  double again_seconds = 0;  // the median over all captures but the first
  // What the execs of the last capture need; absent as Capture::one_exec_bytes is.
  std::optional<double> exec_bytes = {};
  double exec_resolution_bytes = 0;
  Outputs outputs = {};
};

// Device memory of a process with all sizes, divided by use. Names are as in a cell's `memory` in a result.
struct Account {
  std::optional<std::int64_t> used_bytes, context_bytes;
  std::int64_t static_bytes = 0, workspace_bytes = 0, pool_bytes = 0;
  std::optional<std::int64_t> code_bytes, exec_bytes, exec_resolution_bytes, unaccounted_bytes;
  std::string witness;
};

// The sum of all sizes' setups, and the start-up of the process.
struct BillLaunch {
  std::int64_t index = 0;
  model::Setup setup{};
  model::Startup startup{};
};

struct Bill {
  std::string id;
  model::Cell cell;  // its batch is the largest size; mode "both": each size in both graph modes
  std::string exec = "own";
  std::vector<std::int64_t> capture_sizes;  // ascending
  model::CellStatus status = model::CellStatus::pending;
  std::optional<model::Reason> reason;
  double confidence = 0;
  std::string sentence;
  std::optional<Prediction> prediction;
  std::optional<Measured> measured;
  std::vector<ReserveRuns> verified;
  std::optional<Trade> trade;
  std::optional<Sleep> sleep;
  // From the process that captured every size, or else from the prediction. `launches` has one launch.
  std::optional<Account> memory;
  std::vector<BillLaunch> launches;
};

}  // namespace graphbench::bill
