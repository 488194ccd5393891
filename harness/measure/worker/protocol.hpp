// The messages between graphbench and its worker processes: the task is a JSON document on the worker's
// stdin, an event is a JSON line on its file descriptor 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

namespace graphbench::measure {

// A worker's report, with only the parts that are new since the last report.
struct WorkerEvent {
  std::int64_t batch = 0;  // 0 if the event is about the worker, or the batch is in `cell`
  // The phase that begins: "prepare", "warmup", "capture", "measure", "sustain", "check", "evaluate", "dump",
  // "shapes", "memory", "profile", "records". "open" with batch 0: the device is closed and opened again.
  std::string phase = {};
  // The worker ends after the reported failure of `batch`, which could affect later measurements.
  bool stopped = false;

  std::optional<model::CellResult> cell = {};  // of a finished batch; at most one Launch
  // Facts about a batch after its `cell` was reported.
  std::optional<model::Memory> memory = {};
  std::optional<model::Profile> profile = {};

  std::optional<model::DeviceFacts> device = {};
  std::vector<model::LibraryChoice> choices = {};  // for all batches, after their setup
  // Whether the profiler and the monitor could be used.
  std::optional<model::InstrumentState> profiler = {};
  std::optional<model::InstrumentState> monitor = {};
  std::optional<model::TraceProcess> trace = {};
  // The worker ends. Its unfinished cells failed for this reason.
  std::optional<model::Reason> error = {};
};

}  // namespace graphbench::measure
