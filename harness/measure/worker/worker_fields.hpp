// The JSON form of a worker's task and events.
#pragma once

#include "harness/measure/worker/protocol.hpp"
#include "harness/model/codec/messages.hpp"
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::model {

GB_DESCRIBE(TraceProcess, name, spans);
GB_DESCRIBE(measure::WorkerEvent, (later, batch), (later, phase), (later, stopped), (later, cell),
            (later, memory), (later, profile), (later, device), (later, choices), (later, profiler),
            (later, monitor), (later, trace), (later, error));

}  // namespace graphbench::model
