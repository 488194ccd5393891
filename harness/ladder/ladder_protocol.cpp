// Writes and reads as JSON the ladder process's question and answer, and the lists of a result document that
// hold what ladders found.
#include "graphs/base/process/exit_text.hpp"
#include "harness/ladder/ladder_fields.hpp"
#include "harness/ladder/ladder_process.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/messages.hpp"

namespace graphbench::codec {

GB_DESCRIBE(ladder::ServeTask, task, sizes, modes, policy, rows, arrivals, placements);
GB_DESCRIBE(ladder::ServeAnswer, status, reason, check, device, choices, launch);
GB_DESCRIBE(ladder::AliveEvent, phase);

using LadderEvent = std::variant<ladder::AliveEvent, ladder::ServeAnswer>;
template <>
struct Messages<LadderEvent> {
  static constexpr std::array<std::string_view, 2> names = {"alive", "answer"};
};

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

std::string encode_alive(const AliveEvent& event) {
  return codec::write_message(codec::LadderEvent(event));
}

std::string encode_answer(const ServeAnswer& answer) {
  return codec::write_message(codec::LadderEvent(answer));
}

std::optional<ServeAnswer> decode_answer(std::string_view line) {
  codec::LadderEvent event = codec::read_message<codec::LadderEvent>(line, "read ladder event");
  if (auto* const answer = std::get_if<ServeAnswer>(&event)) return std::move(*answer);
  return std::nullopt;
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
