// The head of a result is indented, its cells stand one a line: a committed result stays readable in a diff.
// What `history` found is written only.
#include "harness/model/codec/documents.hpp"

#include <utility>

#include "harness/model/codec/json_writer.hpp"
#include "harness/model/codec/ladder_fields.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/codec/result_fields.hpp"
#include "harness/model/codec/walk_document.hpp"

namespace graphbench::codec {

template <typename T>
struct MetricName {
  std::optional<Json> write(const T& value) const { return Json(name_of(value.metric)); }
};

GB_DESCRIBE(model::HistoryLabel, (text, commit), (text, branch), (text, label));
GB_DESCRIBE(model::HistoryEntry, id, started_at, (inlined(&T::label)), (text, device), (text, fingerprint),
            (text_field("plan", &T::plan_hash)), (text_field("tool", &T::tool_version)), complete, cells,
            launches);
GB_DESCRIBE(model::HistoryPoint, entry, (field("median_seconds", &T::median)),
            (field("lowest_seconds", &T::lowest)), (field("highest_seconds", &T::highest)), launches);

// Each change names the entry that it begins with.
struct Changes {
  std::optional<Json> write(const model::CellHistory& history) const {
    const JsonWriter writer(Form::document);
    Json changes = Json::array();
    for (const model::ChangePoint& change : history.changes) {
      changes.push_back({{"index", change.index},
                         {"entry", history.points[static_cast<std::size_t>(change.index)].entry.id},
                         {"ratio", writer.write(change.ratio)},
                         {"p", writer.write(change.p)}});
    }
    return changes;
  }
};

GB_DESCRIBE(model::CellHistory, cell, (custom_field<MetricName<T>>("metric")), points_min, left_out, older,
            correlation, points, (custom_field<Changes>("changes")));

namespace {

constexpr const char* schema = "graphbench.result/1";

// Head first; without the line break that ends it.
std::string document_of(const char* name, Json rest) {
  Json document = {{"schema", name}};
  document.update(std::move(rest));
  return dump(document, 2);
}

}  // namespace

std::string to_json(const model::CellResult& cell) {
  return dump(JsonWriter(Form::document).write(cell));
}

namespace {

// One element a line.
template <typename T>
std::string lines_of(const char* key, const std::vector<T>& elements) {
  std::string text = std::string(",\n  \"") + key + "\": [";
  const char* separator = "\n    ";
  for (const T& element : elements) {
    text += separator + dump(JsonWriter(Form::document).write(element));
    separator = ",\n    ";
  }
  return text + (elements.empty() ? "]" : "\n  ]");
}

}  // namespace

namespace {

// Without what closes it, so that lists of lines can follow.
std::string open_document(const model::Result& result) {
  std::string document = document_of(schema, JsonWriter(Form::document).write(result));
  document.resize(document.size() - 2);  // the closing "\n}"
  return document;
}

}  // namespace

std::string head_to_json(const model::Result& result) {
  return open_document(result) + ",\n  \"cells\": [";
}

std::string to_json(const model::Result& result, const model::LadderFindings& findings) {
  std::string document = open_document(result);
  document += lines_of("cells", result.cells);
  if (!findings.ladders.empty()) document += lines_of("ladders", findings.ladders);
  if (!findings.suggestions.empty()) document += lines_of("suggestions", findings.suggestions);
  if (!findings.best.empty()) document += lines_of("best", findings.best);
  return document + "\n}\n";
}

model::Result read_result(std::string_view text, const std::string& source) {
  const PaddedText padded{std::string(text)};
  std::vector<model::CellResult> cells;
  model::Result result = walk_document(padded.view(), source, [&](ReadCell&& cell) {
    if (!cell.is_ladder) cells.push_back(std::move(cell.result));
  });
  result.cells = std::move(cells);
  return result;
}

DocumentInParts read_parts(std::string_view text, const std::string& source) {
  std::vector<CellText> cells;
  model::Result head = walk_document(text, source, [&](ReadCell&& cell) {
    if (cell.is_ladder) return;
    const model::CellResult& result = cell.result;
    cells.push_back({.id = std::move(cell.id),
                     .status = result.status,
                     .reason = result.reason ? result.reason->code : "",
                     .launches = static_cast<std::int64_t>(result.launches.size()),
                     .begin = static_cast<std::size_t>(cell.text.data() - text.data()),
                     .bytes = cell.text.size()});
  });
  return {std::move(head), std::move(cells)};
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

model::CellResult read_cell(std::string_view text, const std::string& source) {
  JsonWalk walk(source);
  model::CellResult cell;
  walk.document(text, [&](std::string_view key, JsonWalk::Value value) {
    JsonReader(walk).read_field(key, value, cell);
  });
  return cell;
}

std::string to_json(const model::FloorsDocument& document) {
  return document_of("graphbench.floors/1",
                     {{"tool", {{"version", document.tool_version}, {"commit", document.tool_commit}}},
                      {"measured_at", document.measured_at},
                      {"environment", JsonWriter(Form::document).write(document.environment)}}) +
         "\n";
}

std::string to_json(const std::vector<model::HistoryEntry>& entries) {
  return document_of("graphbench.history/1", {{"entries", JsonWriter(Form::document).write(entries)}}) + "\n";
}

std::string to_json(const model::CellHistory& history) {
  return document_of("graphbench.series/1", JsonWriter(Form::document).write(history)) + "\n";
}

}  // namespace graphbench::codec
