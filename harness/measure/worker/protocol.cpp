// Field by field, as harness/model/codec describes the parts of a result.
#include "harness/measure/worker/protocol.hpp"

#include "harness/model/codec/messages.hpp"
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::codec {

GB_DESCRIBE(worker::DeviceEvent, facts);
GB_DESCRIBE(worker::ChoicesEvent, choices);
GB_DESCRIBE(worker::PhaseEvent, batch, phase);
GB_DESCRIBE(worker::CellEvent, result);
GB_DESCRIBE(worker::MemoryEvent, batch, memory);
GB_DESCRIBE(worker::MachineEvent, batch, machine);
GB_DESCRIBE(worker::ProfileEvent, batch, profile);
GB_DESCRIBE(worker::TraceEvent, process, spans);
GB_DESCRIBE(worker::InstrumentEvent, instrument, state);
GB_DESCRIBE(worker::ErrorEvent, reason);
GB_DESCRIBE(worker::StoppedEvent, batch);
template <>
struct Description<worker::DoneEvent> {
  static constexpr auto fields = std::tuple();
};

template <>
struct Messages<worker::WorkerEvent> {
  static constexpr std::array<std::string_view, 12> names = {"device",     "choices", "phase",   "cell",
                                                             "memory",     "machine", "profile", "trace",
                                                             "instrument", "error",   "stopped", "done"};
};

}  // namespace graphbench::codec

namespace graphbench::worker {

std::string encode_task(const model::WorkerTask& task) {
  return codec::write_data(task);
}

model::WorkerTask decode_task(std::string_view text) {
  return codec::read_data<model::WorkerTask>(text, "read worker task");
}

std::string encode_event(const WorkerEvent& event) {
  return codec::write_message(event);
}

WorkerEvent decode_event(std::string_view line) {
  return codec::read_message<WorkerEvent>(line, "read worker event");
}

}  // namespace graphbench::worker
