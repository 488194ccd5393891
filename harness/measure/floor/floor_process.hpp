// The floor process, `graphbench --floor-process [PARENT]`. Other commands start it, users do not. If the
// device fails, only this process ends, and a sweep goes on without floors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/model/codec/result_fields.hpp"
#include "harness/model/result.hpp"
#include "harness/model/settings.hpp"

namespace graphbench::measure {

struct FloorRequest {
  std::string device;     // "cuda:0", "host", "auto"
  bool complete = false;  // also measures larger graphs, branches and exec memory; takes more samples
  model::InstrumentOptions instruments;
};

struct FloorAnswer {
  model::CellStatus status = model::CellStatus::ok;
  std::optional<model::Reason> reason = {};  // present unless the status is ok
  model::DeviceFacts facts{};
  model::Floors floors{};
};

// Reads a FloorRequest from stdin and sends one FloorAnswer on file descriptor 3. `parent`: the parent's
// process id, or "" (process::die_with_parent). Returns the exit code.
int floor_main(std::string_view parent);

// Starts a floor process with `command` (own_command("--floor-process")) and returns its answer. If the
// process dies, the answer has the reason. Throws process::Interrupted if the user interrupts.
FloorAnswer ask_floors(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                       const FloorRequest& request, double silent_seconds_max);

}  // namespace graphbench::measure

namespace graphbench::model {

GB_DESCRIBE(measure::FloorRequest, device, complete, instruments);
GB_DESCRIBE(measure::FloorAnswer, status, reason, facts, floors);

}  // namespace graphbench::model
