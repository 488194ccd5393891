// Field by field, as harness/codec describes the parts of a result.
#include "harness/worker/protocol.hpp"

#include "harness/codec/messages.hpp"
#include "harness/codec/result_fields.hpp"

namespace graphbench::codec {

template <>
struct Description<worker::DeviceEvent> {
  static constexpr auto fields = std::tuple(field("facts", &worker::DeviceEvent::facts));
};
template <>
struct Description<worker::ChoicesEvent> {
  static constexpr auto fields = std::tuple(field("choices", &worker::ChoicesEvent::choices));
};
template <>
struct Description<worker::PhaseEvent> {
  using T = worker::PhaseEvent;
  static constexpr auto fields = std::tuple(field("batch", &T::batch), field("phase", &T::phase));
};
template <>
struct Description<worker::CellEvent> {
  static constexpr auto fields = std::tuple(field("result", &worker::CellEvent::result));
};
template <>
struct Description<worker::MemoryEvent> {
  using T = worker::MemoryEvent;
  static constexpr auto fields = std::tuple(field("batch", &T::batch), field("memory", &T::memory));
};
template <>
struct Description<worker::MachineEvent> {
  using T = worker::MachineEvent;
  static constexpr auto fields = std::tuple(field("batch", &T::batch), field("machine", &T::machine));
};
template <>
struct Description<worker::ProfileEvent> {
  using T = worker::ProfileEvent;
  static constexpr auto fields = std::tuple(field("batch", &T::batch), field("profile", &T::profile));
};
template <>
struct Description<worker::TraceEvent> {
  using T = worker::TraceEvent;
  static constexpr auto fields = std::tuple(field("process", &T::process), field("spans", &T::spans));
};
template <>
struct Description<worker::InstrumentEvent> {
  using T = worker::InstrumentEvent;
  static constexpr auto fields = std::tuple(field("instrument", &T::instrument), field("state", &T::state));
};
template <>
struct Description<worker::ErrorEvent> {
  static constexpr auto fields = std::tuple(field("reason", &worker::ErrorEvent::reason));
};
template <>
struct Description<worker::StoppedEvent> {
  static constexpr auto fields = std::tuple(field("batch", &worker::StoppedEvent::batch));
};
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
