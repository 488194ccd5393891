// Encodes and decodes the events of a sweep's process. Their cells have the form of the result document.
#include "harness/service/serve/sweep_events.hpp"

#include "harness/model/codec/messages.hpp"
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::model {

GB_DESCRIBE(Progress, cells_done, cells_total, tasks_done, tasks_total, elapsed_seconds, eta_seconds, worker,
            phase, batch, failures);
GB_DESCRIBE(service::ServedSweep, asked, run);
GB_DESCRIBE(service::SweepBegan, device, facts, submitter, (later, plan));
GB_DESCRIBE(service::SweepProgress, progress);

struct CellDocuments {
  std::optional<Json> write(const service::SweepCells& event) const {
    return JsonWriter(Form::document).write(event.cells);
  }
  void read(JsonWalk& walk, JsonWalk::Value value, service::SweepCells& event) const {
    JsonReader(walk).read(value, event.cells);
  }
};

GB_DESCRIBE(service::SweepCells, (custom_field<CellDocuments>("cells")));

GB_NAMES(service::SweepEvent, "began", "progress", "cells");

}  // namespace graphbench::model

namespace graphbench::service {

std::string encode_served_sweep(const ServedSweep& served) {
  return model::write_data(served);
}

ServedSweep decode_served_sweep(std::string_view text) {
  return model::read_data<ServedSweep>(text, "read the service's request");
}

std::string encode_sweep_event(const SweepEvent& event) {
  return model::write_message(event);
}

SweepEvent decode_sweep_event(std::string_view line) {
  return model::read_message<SweepEvent>(line, "read sweep event");
}

}  // namespace graphbench::service
