// The floor process, `graphbench --floor-process [PARENT]`, which the command line starts, never a person. It
// is a separate process, so that a device that fails costs only the floors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/model/instruments.hpp"
#include "harness/model/result.hpp"

namespace graphbench::floors {

struct FloorRequest {
  std::string device;     // "cuda:0", "host", "auto"
  bool complete = false;  // node counts too, and more samples
  model::InstrumentOptions instruments;
};

struct FloorAnswer {
  std::string failure;     // empty if the rest is valid
  bool bad_input = false;  // the user's value made it fail: a device's name, a variable
  model::DeviceFacts facts{};
  model::Floors floors{};
};

std::string encode_request(const FloorRequest& request);
FloorRequest decode_request(std::string_view text);
std::string encode_answer(const FloorAnswer& answer);
// Throws Error(invalid_argument) for a line that is not an answer.
FloorAnswer decode_answer(std::string_view line);

// Reads a FloorRequest from stdin, sends one FloorAnswer on descriptor 3. See process::die_with_parent for
// `parent`. Returns the exit code.
int floor_main(std::string_view parent);

// Asks a floor process, started by `command` (own_command("--floor-process")). A process that dies is an
// answer with a failure. Throws process::Interrupted.
FloorAnswer ask_floors(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                       const FloorRequest& request, double silent_seconds_max);

}  // namespace graphbench::floors
