// Encodes and decodes messages field by field, as harness/model/codec does for the parts of a result.
#include "harness/measure/worker/protocol.hpp"

#include "harness/model/codec/messages.hpp"
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::codec {

GB_DESCRIBE(model::TraceProcess, name, spans);
GB_DESCRIBE(worker::WorkerEvent, (later, batch), (later, phase), (later, stopped), (later, cell),
            (later, memory), (later, profile), (later, records), (later, device), (later, choices),
            (later, profiler), (later, monitor), (later, trace), (later, error));

}  // namespace graphbench::codec

namespace graphbench::worker {

std::string encode_task(const model::WorkerTask& task) {
  return codec::write_data(task);
}

model::WorkerTask decode_task(std::string_view text) {
  return codec::read_data<model::WorkerTask>(text, "read worker task");
}

std::string encode_event(const WorkerEvent& event) {
  return codec::write_data(event);
}

WorkerEvent decode_event(std::string_view line) {
  return codec::read_data<WorkerEvent>(line, "read worker event");
}

}  // namespace graphbench::worker
