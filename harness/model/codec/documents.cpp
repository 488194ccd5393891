// Writes and reads whole documents. A result's head is indented, and each cell is one line, so that diffs of
// committed results stay readable.
#include "harness/model/codec/documents.hpp"

#include <utility>

#include "harness/model/codec/json_writer.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/codec/result_fields.hpp"
#include "harness/model/statistics/cell_summary.hpp"

namespace graphbench::model {

namespace {

constexpr const char* result_schema = "graphbench.result/1";

}  // namespace

std::string document_of(const char* name, Json rest) {
  Json document = {{"schema", name}};
  document.update(std::move(rest));
  return dump(document, 2);
}

std::string to_json(const CellResult& cell) {
  return dump(JsonWriter(Form::document).write(cell));
}

namespace {

// Returns the document without cells and without the closing "}", so that callers can append lists.
std::string open_document(const Result& result) {
  std::string document = document_of(result_schema, JsonWriter(Form::document).write(result));
  document.resize(document.size() - 2);  // the closing "\n}"
  return document;
}

}  // namespace

std::string head_to_json(const Result& result) {
  return open_document(result) + ",\n  \"cells\": [";
}

std::string to_json(const Result& result, std::string_view more_lists) {
  std::string document = open_document(result) + lines_of("cells", result.cells);
  return document.append(more_lists) + "\n}\n";
}

Result read_result(std::string_view text, const std::string& source) {
  const PaddedText padded{std::string(text)};
  std::vector<CellResult> cells;
  Result result = walk_document(padded.view(), source, [&](ReadCell&& cell) {
    if (!cell.is_ladder) cells.push_back(std::move(cell.result));
  });
  result.cells = std::move(cells);
  if (result.plan.gains != gain_formulas) add_gains(result.cells);
  result.plan.gains = gain_formulas;
  // Earlier documents lack some of these, or have them by other formulas.
  add_launch_bound(result.environment.device.kind, result.cells);
  add_startups(result.cells);
  add_setups_once(result.cells);
  return result;
}

DocumentInParts read_parts(std::string_view text, const std::string& source) {
  std::vector<CellText> cells;
  Result head = walk_document(text, source, [&](ReadCell&& cell) {
    if (cell.is_ladder) return;
    keep_evidence(cell.result);
    cells.push_back({.id = std::move(cell.id),
                     .evidence = std::move(cell.result),
                     .begin = static_cast<std::size_t>(cell.text.data() - text.data()),
                     .bytes = cell.text.size()});
  });
  return {std::move(head), std::move(cells)};
}

CellResult read_cell(std::string_view text, const std::string& source) {
  JsonWalk walk(source);
  CellResult cell{};
  walk.document(text, [&](std::string_view key, JsonWalk::Value value) {
    JsonReader(walk).read_field(key, value, cell);
  });
  return cell;
}

std::string to_json(const FloorsDocument& document) {
  return document_of("graphbench.floors/1",
                     {{"tool", {{"version", document.tool_version}, {"commit", document.tool_commit}}},
                      {"measured_at", document.measured_at},
                      {"environment", JsonWriter(Form::document).write(document.environment)}}) +
         "\n";
}

}  // namespace graphbench::model
