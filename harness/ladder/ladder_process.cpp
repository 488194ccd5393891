// Runs the ladder process, and converts tasks, answers and the lists of ladders to and from JSON.
#include "harness/ladder/ladder_process.hpp"

#include <exception>

#include "graphs/base/process/child_io.hpp"
#include "graphs/base/process/exit_text.hpp"
#include "harness/ladder/ladder_fields.hpp"
#include "harness/measure/worker/worker.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/messages.hpp"

namespace graphbench::ladder {
namespace {

void fail(ServeAnswer& answer, const std::string& code, const std::string& message, bool skip = false) {
  answer.status = skip ? model::CellStatus::skipped : model::CellStatus::failed;
  answer.reason = model::Reason{code, message};
}

void serve_on_device(const ServeTask& task, ServeAnswer& answer) {
  worker::StartupClock clock(task.task.spawned_ns);
  const auto alive = [] { process::send_line(alive_line); };
  worker::on_placement(task.task, clock, nullptr, alive, [&](worker::Placement& placement) {
    answer.device = placement.device().info();
    const ServeHooks hooks{.alive = alive, .move = [&](std::uint64_t seed) { placement.move(seed); }};
    worker::TaskRig& rig = *placement.rig().of_program();
    serve(task, rig, rig.program(), clock, hooks, answer);
    answer.choices = placement.device().library_choices();
  });
}

}  // namespace

int ladder_main(std::string_view parent) {
  return process::child_main("ladder process", parent, [](const std::string& request) {
    ServeAnswer answer;
    try {
      serve_on_device(decode_task(request), answer);
    } catch (const Error& error) {
      const bool skip = worker::is_skip(error.code()) || error.code() == ErrorCode::not_batch_major ||
                        error.code() == ErrorCode::state_not_splittable;
      fail(answer, std::string(name_of(error.code())), error.what(), skip);
    } catch (const std::exception& error) {
      fail(answer, std::string(name_of(ErrorCode::internal)), error.what());
    }
    process::send_line(encode_answer(answer));
    return 0;
  });
}

}  // namespace graphbench::ladder

namespace graphbench::codec {

GB_DESCRIBE(ladder::ServeTask, task, sizes, modes, policy, rows, arrivals, placements);
GB_DESCRIBE(ladder::ServeAnswer, status, reason, check, device, choices, launch);

template void JsonWriter::put(Json&, const model::Ladder&) const;
template void JsonWriter::put(Json&, const model::LadderLaunch&) const;
template void JsonReader::read(JsonWalk::Value, model::LadderLaunch&);

std::string to_json(const model::Result& result, const model::LadderFindings& findings) {
  std::string lists;
  if (!findings.ladders.empty()) lists += lines_of("ladders", findings.ladders);
  if (!findings.suggestions.empty()) lists += lines_of("suggestions", findings.suggestions);
  if (!findings.best.empty()) lists += lines_of("best", findings.best);
  return to_json(result, lists);
}

std::vector<model::Ladder> read_ladders(std::string_view text, const std::string& source) {
  JsonWalk walk(source);
  std::vector<model::Ladder> ladders;
  walk.document(text, [&](std::string_view key, JsonWalk::Value value) {
    if (key == "ladders") {
      JsonReader(walk).read(value, ladders);
    } else {
      walk.skip(value);
    }
  });
  return ladders;
}

}  // namespace graphbench::codec

namespace graphbench::ladder {

std::string encode_task(const ServeTask& task) {
  return codec::write_data(task);
}

ServeTask decode_task(std::string_view text) {
  return codec::read_data<ServeTask>(text, "read ladder task");
}

std::string encode_answer(const ServeAnswer& answer) {
  return codec::write_data(answer);
}

std::optional<ServeAnswer> decode_answer(std::string_view line) {
  if (line == alive_line) return std::nullopt;
  return codec::read_data<ServeAnswer>(line, "read ladder event");
}

ServeAnswer ask_ladder(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                       const ServeTask& task, double silent_seconds_max) {
  std::optional<ServeAnswer> answer;
  const process::ChildExit exit =
      supervisor.ask({command, encode_task(task), silent_seconds_max}, [&](std::string_view line) {
        if (std::optional<ServeAnswer> found = decode_answer(line)) answer = std::move(found);
      });
  if (answer) return std::move(*answer);
  ServeAnswer failed;
  failed.status = model::CellStatus::failed;
  failed.reason = model::Reason{exit.how == process::ChildExit::How::timed_out ? "timeout" : "crashed",
                                "the ladder process " + process::how_it_ended(exit, silent_seconds_max)};
  return failed;
}

}  // namespace graphbench::ladder
