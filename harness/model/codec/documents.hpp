// Writes and reads whole documents as text. reporters/schema describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/codec/json_writer.hpp"
#include "harness/model/result.hpp"

namespace graphbench::model {

// Writes `graphbench.result/1`: UTF-8, one cell per line, and a newline at the end. A number that is missing
// or not finite becomes null. A summary whose min, p50, max or mean is not finite becomes null. An ok cell
// has no `reason`. A pending cell is written as skipped, with the reason `interrupted`. U+FFFD replaces bytes
// that are not UTF-8. `more_lists` follow the cells; lines_of() makes each of them.
std::string to_json(const Result& result, std::string_view more_lists = {});
// Returns the cell's line in the document, without the line break.
std::string to_json(const CellResult& cell);

// Reads the fields of a result document that this version knows. The result has only the samples that
// documents have: the latencies of the first steps. Throws InputError like parse_document().
Result read_result(std::string_view text, const std::string& source);
// Writes the document up to the opening bracket of its cells.
std::string head_to_json(const Result& result);

// The place of a cell in the text, and the parts of the cell that conclusions and notes need.
struct CellText {
  std::string id;
  CellResult evidence{};
  std::size_t begin = 0;  // in the document's text
  std::size_t bytes = 0;
};
struct DocumentInParts {
  Result head;  // without cells
  std::vector<CellText> cells;
};
// Reads the head of a document, and finds its cells in the text. At least text_padding bytes
// (parse_document.hpp) must be readable after `text`. Throws like read_result().
DocumentInParts read_parts(std::string_view text, const std::string& source);

CellResult read_cell(std::string_view text, const std::string& source);

// The results of `graphbench floor`: the document `graphbench.floors/1`.
struct FloorsDocument {
  std::string tool_version;
  std::string tool_commit;
  std::string measured_at;  // RFC 3339, UTC
  Environment environment;  // with its floors
};
std::string to_json(const FloorsDocument& document);

// Returns a document of the schema `name`, with the schema as its first key and no line break at the end.
std::string document_of(const char* name, Json rest);

// Returns the text of one list of a result document, with one element per line, for `more_lists`.
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

}  // namespace graphbench::model
