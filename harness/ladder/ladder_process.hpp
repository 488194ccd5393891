// The ladder process: `graphbench --ladder-process [PARENT]`, started by the command line, never by a person.
// One launch of one ladder, so that a device that fails costs only that; and its parent's side.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/ladder/serve.hpp"

namespace graphbench::ladder {

// Says that the process is at work.
struct AliveEvent {
  std::string phase;
};

std::string encode_task(const ServeTask& task);
ServeTask decode_task(std::string_view text);
std::string encode_alive(const AliveEvent& event);
std::string encode_answer(const ServeAnswer& answer);
// Absent for a line that only says that the process is at work. Throws Error(invalid_argument) for another.
std::optional<ServeAnswer> decode_answer(std::string_view line);

// Reads a ServeTask from stdin, sends one ServeAnswer on descriptor 3. `parent` as in
// process::die_with_parent. Returns the exit code.
int ladder_main(std::string_view parent);

// `command`: own_command("--ladder-process"). A process that dies is a failed answer. Throws Interrupted.
ServeAnswer ask_ladder(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                       const ServeTask& task, double silent_seconds_max);

}  // namespace graphbench::ladder
