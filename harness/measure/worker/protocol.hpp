// The messages between graphbench and its worker processes: the task as one JSON document on the worker's
// stdin, events as one JSON line each on its descriptor 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

namespace graphbench::worker {

// A worker's report: the parts that are new since the last one.
struct WorkerEvent {
  std::int64_t batch = 0;  // the batch that it is about; 0: the worker, or the batch is in `cell`
  // "prepare", "warmup", "capture", "measure", "sustain", "check", "evaluate", "dump", "shapes", "memory",
  // "profile", "records", as each begins. "open", of batch 0: the device is given up and opened again.
  std::string phase = {};
  // The worker ends, because the failure of the batch, which it has reported, may spoil what it measures
  // next.
  bool stopped = false;

  std::optional<model::CellResult> cell = {};  // finished, ok or not, with at most one Launch
  // Facts about a batch whose cell was already reported.
  std::optional<model::Memory> memory = {};
  std::optional<model::Profile> profile = {};
  std::optional<model::StepRecords> records = {};

  std::optional<model::DeviceFacts> device = {};
  std::vector<model::LibraryChoice> choices = {};  // for all batches, once they are set up
  // Whether the profiler and the monitor could be used.
  std::optional<model::InstrumentState> profiler = {};
  std::optional<model::InstrumentState> monitor = {};
  std::optional<model::TraceProcess> trace = {};
  // The worker cannot go on; its unfinished cells failed for this reason.
  std::optional<model::Reason> error = {};
};

std::string encode_task(const model::WorkerTask& task);
// Throws Error(invalid_argument) for text that is not a task.
model::WorkerTask decode_task(std::string_view text);

// One line without its newline. Bytes that are not UTF-8 are replaced, not refused.
std::string encode_event(const WorkerEvent& event);
// Throws Error(invalid_argument) for a line that is not an event.
WorkerEvent decode_event(std::string_view line);

}  // namespace graphbench::worker
