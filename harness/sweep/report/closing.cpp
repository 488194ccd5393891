// Adds the text below the cells to a result's Report: walks, cells without numbers, notes, the count of
// cells, and the conclusions.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/findings/findings.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/sweep/report/result_report.hpp"

namespace graphbench::sweep {
namespace {

struct Counts {
  std::int64_t ok = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;
  std::int64_t not_measured = 0;  // left out when the sweep was interrupted
};

Counts count(const model::Result& result) {
  Counts counts;
  for (const model::CellResult& cell : result.cells) {
    if (cell.status == model::CellStatus::ok) {
      ++counts.ok;
    } else if (cell.status == model::CellStatus::failed) {
      ++counts.failed;
    } else if (!cell.reason || cell.reason->code == "interrupted") {
      ++counts.not_measured;
    } else {
      ++counts.skipped;
    }
  }
  return counts;
}

struct Trouble {
  bool failed = false;
  std::string code;
  std::string message;
  std::string first_id;
  std::int64_t cells = 0;
  std::vector<std::string> modes = {};
  std::string cause = {};  // the message without the cell's mode
};

// "open: mode whole needs a GPU" says the same as of piecewise.
std::string without_mode(std::string message, const std::string& mode) {
  const std::string named = "mode " + mode + " ";
  const std::size_t at = message.find(named);
  return at == std::string::npos ? message : message.replace(at, named.size(), "mode ");
}

std::vector<Trouble> troubles_of(const model::Result& result) {
  std::vector<Trouble> troubles;
  for (const model::CellResult& cell : result.cells) {
    if (cell.status == model::CellStatus::ok) continue;
    Trouble trouble{cell.status == model::CellStatus::failed,
                    "interrupted",
                    "the sweep ended before this cell was measured",
                    reporters::one_line(model::id_of(cell.cell)),
                    1,
                    {cell.cell.mode}};
    if (cell.reason) {
      trouble.code = reporters::one_line(cell.reason->code);
      trouble.message = reporters::one_line(cell.reason->message);
    }
    trouble.cause = without_mode(trouble.message, cell.cell.mode);
    const auto same = [&](const Trouble& other) {
      return std::tie(other.failed, other.code, other.cause) ==
             std::tie(trouble.failed, trouble.code, trouble.cause);
    };
    const auto known = std::find_if(troubles.begin(), troubles.end(), same);
    if (known == troubles.end()) {
      troubles.push_back(trouble);
    } else {
      ++known->cells;
      if (!contains(known->modes, cell.cell.mode)) known->modes.push_back(cell.cell.mode);
    }
  }
  return troubles;
}

reporters::Section walk_of(const model::CellResult& cell) {
  const model::ShapeWalk& walk = *cell.shape_walk;
  reporters::Section section{.subject = "shapes of " + model::id_of(cell.cell),
                             .columns = {{.name = "step"},
                                         {.name = "batch"},
                                         {.name = "program", .align = reporters::Align::left},
                                         {.name = "outcome", .align = reporters::Align::left},
                                         {.name = "time", .unit = "seconds"},
                                         {.name = "why", .align = reporters::Align::left}},
                             .rows_max = 20,
                             .in_csv = false};
  std::vector<double> hits;
  for (const model::TracedStep& step : walk.traces) {
    if (step.reason.empty()) {
      hits.push_back(step.seconds);
      continue;
    }
    section.rows.push_back(
        {.values = {reporters::count_value(step.id), reporters::count_value(step.batch),
                    reporters::text_value(step.signature), reporters::text_value(step.outcome),
                    reporters::seconds_value(step.seconds), reporters::text_value(step.reason)}});
  }
  std::string text =
      fmt::format("{} of {} steps needed no new program or recording", hits.size(), walk.traces.size());
  if (!hits.empty()) text += ", and took " + reporters::format_seconds(model::median(hits));
  section.sentences.push_back(
      {text + fmt::format("; {} program{} kept", walk.programs, walk.programs == 1 ? " is" : "s are")});
  return section;
}

void add_text(std::string& text, const std::string& more) {
  text += (text.empty() ? "" : " ") + more;
}

// One card per subject, with the sentences of each label in one line.
void add_cards(reporters::Report& report, const std::vector<model::Conclusion>& conclusions) {
  std::vector<std::string> subjects;
  for (const model::Conclusion& each : conclusions) {
    if (!contains(subjects, each.subject)) subjects.push_back(each.subject);
  }
  for (const std::string& subject : subjects) {
    reporters::Card card{.subject = subject};
    for (const std::string_view label : model::card_labels) {
      std::string text;
      for (const model::Conclusion& each : conclusions) {
        if (each.subject == subject && each.label == label) add_text(text, each.text);
      }
      if (label == "use") {
        card.verdict = text;
      } else if (label == "details") {
        card.details = text;
      } else if (!text.empty()) {
        card.lines.push_back({.text = text, .lead = std::string(label)});
      }
    }
    // Without a choice of modes, as of eager alone, the first line is all there is to say first.
    if (card.verdict.empty() && !card.lines.empty()) {
      card.verdict = std::move(card.lines.front().text);
      card.lines.erase(card.lines.begin());
    }
    report.conclusions.push_back(std::move(card));
  }
}

}  // namespace

// At most three: how far to trust the result, the most important note, the codes of the other notes.
void add_notes(reporters::Report& report, const model::Result& result) {
  const std::vector<model::Note> notes = model::notes_of(result);
  constexpr std::size_t lines_max = 3;
  const bool all = notes.size() <= lines_max;
  for (std::size_t i = 0; i < (all ? notes.size() : lines_max - 1); ++i) {
    const bool good = notes[i].code == "trust_high";
    const bool judges = good || notes[i].code == "trust_low";
    const std::size_t colon = judges ? notes[i].text.find(": ") : std::string::npos;
    report.closing.push_back({judges ? notes[i].text.substr(colon + 2) : notes[i].text,
                              good ? reporters::Weight::good : reporters::Weight::notice,
                              judges ? notes[i].text.substr(0, colon) : "note"});
  }
  if (all) return;
  const std::vector<model::Note> rest(notes.begin() + (lines_max - 1), notes.end());
  report.closing.push_back({fmt::format("{} more (`notes` in the document): {}", rest.size(),
                                        join(rest, ", ", &model::Note::code)),
                            reporters::Weight::notice, "note"});
}

void add_walks(reporters::Report& report, const model::Result& result) {
  for (const model::CellResult& cell : result.cells) {
    if (cell.shape_walk && cell.status == model::CellStatus::ok) report.sections.push_back(walk_of(cell));
  }
}

void add_closing(reporters::Report& report, const model::Result& result, const std::string& json_path) {
  for (const Trouble& trouble : troubles_of(result)) {
    const std::string where =
        trouble.cells == 1
            ? trouble.first_id
            : fmt::format("{}{}, first {}", model::plural(trouble.cells, "cell"),
                          trouble.modes.size() > 1 ? " of " + join(trouble.modes) : "", trouble.first_id);
    report.closing.push_back({fmt::format("{} ({})", trouble.message, where),
                              trouble.failed ? reporters::Weight::regression : reporters::Weight::undecided,
                              (trouble.failed ? "failed " : "skipped ") + trouble.code});
  }
  add_notes(report, result);
  const Counts counts = count(result);
  std::string line =
      fmt::format("{}: {} ok, {} failed, {} skipped", model::plural(std::ssize(result.cells), "cell"),
                  counts.ok, counts.failed, counts.skipped);
  if (counts.not_measured > 0) line += fmt::format(", {} not measured", counts.not_measured);
  if (!json_path.empty()) line += "; the result is in " + json_path;
  report.closing.push_back(
      {std::move(line), counts.failed > 0 ? reporters::Weight::regression : reporters::Weight::good});
  add_cards(report, model::conclusions_of(result));
}

}  // namespace graphbench::sweep
