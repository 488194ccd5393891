// Whole documents of ours as text, both ways. reporters/schema describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/codec/json_writer.hpp"
#include "harness/model/floors_document.hpp"
#include "harness/model/result.hpp"

namespace graphbench::codec {

// `graphbench.result/1`: UTF-8, one cell per line, a newline at the end. A missing value is null; `reason` is
// absent if a cell is ok. Numbers that are not finite become null, and a summary that holds one becomes null
// as a whole. A cell still pending is written as skipped, reason `interrupted`. Bytes that are not UTF-8 are
// replaced by U+FFFD. `more_lists`, each as lines_of() writes it, stand behind the cells.
std::string to_json(const model::Result& result, std::string_view more_lists = {});
// One cell as the document has it, on one line without its end.
std::string to_json(const model::CellResult& cell);

// The result in a document, as far as this version knows its fields; others are passed over. Its only samples
// are the first steps' latencies. It refuses whatever parse_document() refuses: throws InputError, which
// begins with `source`.
model::Result read_result(std::string_view text, const std::string& source);
// Writes the document up to the bracket that opens the list of its cells.
std::string head_to_json(const model::Result& result);

// A cell as text, and the parts of it that findings read.
struct CellText {
  std::string id;
  model::CellResult evidence{};
  std::size_t begin = 0;  // in the document's text
  std::size_t bytes = 0;
};
struct DocumentInParts {
  model::Result head;  // without cells
  std::vector<CellText> cells;
};
// All of the text is checked to be JSON. text_padding readable bytes follow it. Throws as read_result() does.
DocumentInParts read_parts(std::string_view text, const std::string& source);

model::CellResult read_cell(std::string_view text, const std::string& source);

// `graphbench.floors/1`.
std::string to_json(const model::FloorsDocument& document);

// A document of the schema `name`, its schema first; without the line break that ends it.
std::string document_of(const char* name, Json rest);

// A list of a result document, appended to the text before it: one element per line.
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

}  // namespace graphbench::codec
