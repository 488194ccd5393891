// The floor process: `graphbench --floor-process [PARENT]`, started by the command line, never by a
// person. A process of its own, so that a device that fails costs only the floors.
#pragma once

#include <string>
#include <string_view>

#include "harness/model/instruments.hpp"
#include "harness/model/result.hpp"

namespace graphbench::floors {

struct FloorRequest {
  std::string device;     // "cuda:0", "host", "auto"
  bool complete = false;  // node counts too, and more samples
  model::InstrumentOptions instruments;
};

struct FloorAnswer {
  std::string failure;     // empty where the rest counts
  bool bad_input = false;  // it failed over what the user gave: a device's name, a variable
  model::DeviceFacts facts;
  model::Floors floors;
};

std::string encode_request(const FloorRequest& request);
FloorRequest decode_request(std::string_view text);
std::string encode_answer(const FloorAnswer& answer);
// Throws Error(invalid_argument) for a line that is no answer.
FloorAnswer decode_answer(std::string_view line);

// Reads a FloorRequest from stdin, sends one FloorAnswer on descriptor 3. `parent` as in
// process::die_with_parent. Returns the exit code.
int floor_main(std::string_view parent);

}  // namespace graphbench::floors
