// One question, one answer, or how the process ended.
#include "harness/floor/ask_floors.hpp"

#include <optional>

#include "harness/process/exit_text.hpp"
#include "harness/sweep/probe.hpp"

namespace graphbench::floors {

FloorAnswer ask_floors(sweep::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                       const FloorRequest& request, double silent_seconds_max) {
  std::optional<FloorAnswer> answer;
  const sweep::ChildCommand child{command, encode_request(request), silent_seconds_max};
  const sweep::ChildExit exit =
      supervisor.run(child, [&](std::string_view line) { answer = decode_answer(line); });
  if (exit.how == sweep::ChildExit::How::interrupted) throw sweep::Interrupted();
  if (answer) return std::move(*answer);
  FloorAnswer failed;
  switch (exit.how) {
    case sweep::ChildExit::How::signalled:
      failed.failure = "the floor process crashed with " + sweep::signal_name(exit.signal);
      break;
    case sweep::ChildExit::How::timed_out:
      failed.failure = "the floor process was silent for " + sweep::seconds_text(silent_seconds_max);
      break;
    default:
      failed.failure = "the floor process ended with exit code " + std::to_string(exit.status);
      break;
  }
  const std::string said = sweep::last_lines(exit.output);
  if (!said.empty()) failed.failure += "; it said: " + said;
  return failed;
}

}  // namespace graphbench::floors
