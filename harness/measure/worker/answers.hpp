// Processes that answer one request each, such as those of `graphbench ladder` and `graphbench bill`. An
// answer has a status and a reason. The status is `pending` while answers only report progress.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "graphs/base/process/child_io.hpp"
#include "graphs/base/process/exit_text.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "harness/model/codec/messages.hpp"

namespace graphbench::measure {

// A line that only says that the process is working.
inline constexpr std::string_view alive_line = "alive";

// The process of `name`: calls `work` with the request from stdin, and sends the answer that `work` fills in
// on descriptor 3. An exception becomes the answer's reason. `parent`: the parent's process id, or ""
// (process::die_with_parent).
template <typename Answer, typename Work>
int answer_main(const std::string& name, std::string_view parent, Work&& work) {
  return process::child_main((name + " process").c_str(), parent, [&](const std::string& request) {
    Answer answer{};
    try {
      work(request, answer);
    } catch (const std::exception& error) {
      answer.status = status_after(error);
      answer.reason = model::reason_of(error);
    }
    process::send_line(model::write_data(answer));
    return 0;
  });
}

// The parent's side: starts the process and returns its last answer. If the process ends while that answer is
// `pending`, the answer becomes `failed`. `on_tick`: called about once per second. Throws
// process::Interrupted if the user interrupts.
template <typename Answer>
Answer ask(process::ProcessSupervisor& supervisor, const std::string& name,
           const process::ChildCommand& command, const process::TickHandler& on_tick = {}) {
  Answer answer{};
  answer.status = model::CellStatus::pending;
  const auto on_line = [&](std::string_view line) {
    if (line != alive_line) answer = model::read_data<Answer>(line, "read " + name + " event");
  };
  const process::ChildExit exit = supervisor.run(command, on_line, on_tick);
  if (exit.how == process::ChildExit::How::interrupted) throw process::Interrupted();
  if (answer.status != model::CellStatus::pending) return answer;
  answer.status = model::CellStatus::failed;
  answer.reason =
      model::Reason{exit.how == process::ChildExit::How::timed_out ? "timeout" : "crashed",
                    "the " + name + " process " + process::how_it_ended(exit, command.silent_seconds_max)};
  return answer;
}

}  // namespace graphbench::measure
