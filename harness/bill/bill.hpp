// What captured sizes cost in memory and start-up, as plain data: `bills[]` of the document
// `graphbench.bill/1`. Memory in bytes, times in seconds; optional means absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::bill {

// By how much each account of the device's memory grew.
struct Growth {
  double pool_bytes = 0;
  double workspace_bytes = 0;  // scratch of libraries and ops
  double code_bytes = 0;       // kernels that are loaded, and the driver's reserves for launches
  double exec_bytes = 0;       // as graphs were captured, instantiated and uploaded
  double total() const { return pool_bytes + workspace_bytes + code_bytes + exec_bytes; }
};

// One size in one mode: what it took from the end of the one before it to the end of its first step.
struct Capture {
  std::int64_t size = 0;
  std::string mode;
  bool captured = true;  // else the figures are between those of sizes that were
  std::int64_t nodes = 0;
  Growth growth = {};
  // The memory of one more exec of its graphs, and the smallest difference that means something; 0 where it
  // launches another's. Absent if no driver reports it.
  std::optional<double> one_exec_bytes = {};
  double exec_resolution_bytes = 0;
  double transient_bytes = 0;  // that it needed at its highest, beyond what it left
  double step_seconds = 0;     // the median of a few replays
  // Part of the setup: the interpreter's garbage collection. Absent for the first size, which opens the step.
  std::optional<double> gc_seconds = {};
  model::Setup setup{};
};

double seconds_of(model::Setup setup);

// An expected value, with its interval at the confidence that was asked for.
struct Amount {
  double expected = 0;
  double low = 0;
  double high = 0;
};

struct Prediction {
  std::int64_t captures = 0;  // that it was made from
  Amount bytes;               // of all sizes together, beyond the static buffers
  Amount seconds;
  double reserve_bytes = 0;  // that must be free before the first capture
  double line_bytes = 0;     // a serving engine's method: the first two captures, and a straight line
  Growth growth;
  model::Setup setup{};
  std::vector<Capture> sizes;  // in the order of captures
};

// What the sizes took, all captured in a process of their own.
struct Measured {
  double bytes = 0;
  double seconds = 0;
  double error = 0;       // the prediction over it, less 1
  double line_error = 0;  // the line's
  bool inside = false;    // whether the interval holds the bytes
  Growth growth;
  model::Setup setup{};
  std::vector<Capture> sizes;
};

// Runs with a part of the reserve left free: another allocation lies beside.
struct ReserveRuns {
  double free_bytes = 0;
  std::int64_t runs = 0;
  std::int64_t failed = 0;
  std::int64_t failed_at = 0;  // the size at which the last one failed; 0: none did
  std::string message;         // of that failure
};

// Fewer sizes under a traffic, which cost step time and save memory and start-up.
struct Trade {
  std::vector<std::int64_t> sizes;  // ascending
  double step_ratio = 0;            // mean step time over that with all sizes
  double bytes = 0;                 // saved
  double seconds = 0;               // likewise
};

// The accounts of the process with all sizes, under the names that cells of results have.
struct Account {
  std::optional<std::int64_t> used_bytes, context_bytes;
  std::int64_t static_bytes = 0, workspace_bytes = 0, pool_bytes = 0;
  std::optional<std::int64_t> code_bytes, exec_bytes, exec_resolution_bytes, unaccounted_bytes;
  std::string witness;
};

// The setups of all sizes together, and how the process came to be ready.
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
  std::optional<Account> memory;     // as measured, or as predicted
  std::vector<BillLaunch> launches;  // one, likewise
};

}  // namespace graphbench::bill
