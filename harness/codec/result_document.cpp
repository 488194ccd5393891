// The head of a result is indented, its cells stand one a line: a committed result stays readable in a diff.
#include <utility>

#include "harness/codec/documents.hpp"
#include "harness/codec/result_fields.hpp"

namespace graphbench::codec {
namespace {

constexpr const char* schema = "graphbench.result/1";

Json document_of(const char* name, Json rest) {
  Json document = {{"schema", name}};
  document.update(std::move(rest));
  return document;
}

}  // namespace

std::string to_json(const model::CellResult& cell) {
  return dump(JsonWriter(Form::document).write(cell));
}

std::string to_json(const model::Result& result) {
  std::string document = dump(document_of(schema, JsonWriter(Form::document).write(result)), 2);
  document.resize(document.size() - 2);  // the closing "\n}"
  document += ",\n  \"cells\": [";
  const char* separator = "\n    ";
  for (const model::CellResult& cell : result.cells) {
    document += separator;
    document += to_json(cell);
    separator = ",\n    ";
  }
  document += result.cells.empty() ? "]\n}\n" : "\n  ]\n}\n";
  return document;
}

model::Result read_result(std::string_view text, const std::string& source) {
  JsonWalk walk(source);
  model::Result result;
  std::string seen;
  walk.document(text, [&](std::string_view key, JsonWalk::Value value) {
    if (key == "schema") {
      seen = walk.text(value);
    } else if (key == "cells") {
      JsonReader(walk).read(value, result.cells);
    } else {
      JsonReader(walk).read_field(key, value, result);
    }
  });
  if (seen != schema) walk.fail("it is no result document: its schema is " + in_quotes(seen));
  return result;
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
  Json json = {{"schema", "graphbench.floors/1"},
               {"tool", {{"version", document.tool_version}, {"commit", document.tool_commit}}},
               {"measured_at", document.measured_at},
               {"environment", JsonWriter(Form::document).write(document.environment)}};
  return dump(json, 2) + "\n";
}

}  // namespace graphbench::codec
