// What crosses the pipes between graphbench and its worker processes: the task as one JSON document on
// the worker's stdin, events as one JSON line each on its descriptor 3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

namespace graphbench::worker {

struct DeviceEvent {
  model::DeviceFacts facts;
};
struct ChoicesEvent {
  std::vector<model::LibraryChoice> choices;
};
struct PhaseEvent {
  std::int64_t batch = 0;
  std::string phase;
};
struct CellEvent {
  model::CellResult result;
};
struct MemoryEvent {
  std::int64_t batch = 0;
  model::Memory memory;
};
struct MachineEvent {
  std::int64_t batch = 0;
  model::LaunchMachine machine;
};
struct ProfileEvent {
  std::int64_t batch = 0;
  model::Profile profile;
};
struct TraceEvent {
  std::string process;
  std::vector<model::TraceSpan> spans;
};
struct InstrumentEvent {
  std::string instrument;  // "profiler", "monitor"
  model::InstrumentState state;
};
// The worker cannot go on; its unfinished cells failed for this reason.
struct ErrorEvent {
  model::Reason reason;
};
// The worker ends, because the failure of `batch`, which it has reported, may spoil what it measures next.
struct StoppedEvent {
  std::int64_t batch = 0;
};
// Every cell has been reported.
struct DoneEvent {};

using WorkerEvent =
    std::variant<DeviceEvent, ChoicesEvent, PhaseEvent, CellEvent, MemoryEvent, MachineEvent, ProfileEvent,
                 TraceEvent, InstrumentEvent, ErrorEvent, StoppedEvent, DoneEvent>;

std::string encode_task(const model::WorkerTask& task);
// Throws Error(invalid_argument) for text that is no task.
model::WorkerTask decode_task(std::string_view text);

// One line without its newline. Bytes that are not UTF-8 are replaced, not refused.
std::string encode_event(const WorkerEvent& event);
// Throws Error(invalid_argument) for a line that is no event.
WorkerEvent decode_event(std::string_view line);

}  // namespace graphbench::worker
