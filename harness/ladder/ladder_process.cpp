// Runs the ladder process, and converts the lists of ladders to and from JSON.
#include "harness/ladder/ladder_process.hpp"

#include "harness/ladder/ladder_fields.hpp"
#include "harness/measure/worker/answers.hpp"
#include "harness/measure/worker/worker.hpp"
#include "harness/model/codec/documents.hpp"

namespace graphbench::ladder {
namespace {

void serve_on_device(const ServeTask& task, const abi::LentPlugin* lent, ServeAnswer& answer) {
  measure::StartupClock clock(task.task.spawned_ns);
  const auto alive = [] { process::send_line(measure::alive_line); };
  measure::on_placement(task.task, clock, lent, alive, [&](measure::Placement& placement) {
    answer.device = placement.device().info();
    const ServeHooks hooks{.alive = alive, .move = [&](std::uint64_t seed) { placement.move(seed); }};
    serve(task, placement.rig(), clock, hooks, answer);
    answer.choices = placement.device().library_choices();
  });
}

}  // namespace

int ladder_main(std::string_view parent, const abi::LentPlugin* lent) {
  return measure::answer_main<ServeAnswer>("ladder", parent, [&](const std::string& request, auto& answer) {
    serve_on_device(model::read_data<ServeTask>(request, "read ladder task"), lent, answer);
  });
}

ServeAnswer ask_ladder(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                       const ServeTask& task, double silent_seconds_max,
                       const process::TickHandler& on_tick) {
  return measure::ask<ServeAnswer>(supervisor, "ladder",
                                   {command, model::write_data(task), silent_seconds_max}, on_tick);
}

}  // namespace graphbench::ladder

namespace graphbench::model {

template void JsonWriter::put(Json&, const ladder::Ladder&) const;
template void JsonWriter::put(Json&, const ladder::LadderLaunch&) const;
template void JsonReader::read(JsonWalk::Value, ladder::LadderLaunch&);

}  // namespace graphbench::model

namespace graphbench::ladder {

std::string ladders_to_json(const model::Result& result, const LadderFindings& findings) {
  std::string lists;
  if (!findings.ladders.empty()) lists += model::lines_of("ladders", findings.ladders);
  if (!findings.closed.empty()) lists += model::lines_of("closed", findings.closed);
  if (!findings.suggestions.empty()) lists += model::lines_of("suggestions", findings.suggestions);
  if (!findings.best.empty()) lists += model::lines_of("best", findings.best);
  return model::to_json(result, lists);
}

LadderFindings read_findings(std::string_view text, const std::string& source) {
  model::JsonWalk walk(source);
  LadderFindings findings;
  walk.document(text, [&](std::string_view key, model::JsonWalk::Value value) {
    model::JsonReader reader(walk);
    if (key == "ladders") {
      reader.read(value, findings.ladders);
    } else if (key == "closed") {
      reader.read(value, findings.closed);
    } else if (key == "suggestions") {
      reader.read(value, findings.suggestions);
    } else if (key == "best") {
      reader.read(value, findings.best);
    } else {
      walk.skip(value);
    }
  });
  for (const Ladder& ladder : findings.ladders) {
    if (ladder.launches.empty() && !ladder.reason)
      throw InputError(source, "ladder " + ladder.id + " has neither launches nor a reason why not");
  }
  return findings;
}

}  // namespace graphbench::ladder
