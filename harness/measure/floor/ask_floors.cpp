// Sends the request and returns the answer, or how the process ended.
#include "harness/measure/floor/ask_floors.hpp"

#include <optional>

#include "graphs/base/process/exit_text.hpp"
#include "graphs/base/process/process_supervisor.hpp"

namespace graphbench::floors {

FloorAnswer ask_floors(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                       const FloorRequest& request, double silent_seconds_max) {
  std::optional<FloorAnswer> answer;
  const process::ChildExit exit =
      supervisor.ask({command, encode_request(request), silent_seconds_max},
                     [&](std::string_view line) { answer = decode_answer(line); });
  if (answer) return std::move(*answer);
  FloorAnswer failed;
  failed.failure = "the floor process " + process::how_it_ended(exit, silent_seconds_max);
  return failed;
}

}  // namespace graphbench::floors
