// Whole documents of ours as text, both ways. reporters/schema describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/history/history.hpp"
#include "harness/ladder/ladder.hpp"
#include "harness/model/floors_document.hpp"
#include "harness/model/result.hpp"

namespace graphbench::codec {

// `graphbench.result/1`: UTF-8, one cell a line, a newline at the end. A missing value is null; `reason` is
// absent where a cell is ok. Numbers that are not finite become null, and a summary that holds one becomes
// null as a whole. A cell still pending is written as skipped, reason `interrupted`. Bytes that are not
// UTF-8 are replaced by U+FFFD.
// What `graphbench ladder` found stands behind the cells, one a line; a list that is empty is left out.
std::string to_json(const model::Result& result, const model::LadderFindings& findings = {});
// One cell as it stands there, on one line without its end.
std::string to_json(const model::CellResult& cell);

// The result that a document holds, as far as this version knows its fields; others are passed over. Of the
// samples the first steps' latencies are there. What parse_document() refuses is refused here too: throws
// InputError, which begins with `source`.
model::Result read_result(std::string_view text, const std::string& source);
// Up to the bracket that opens the list of its cells, which are left out.
std::string head_to_json(const model::Result& result);

// A cell as it is written, and what a merge asks of it.
struct CellText {
  std::string id;
  model::CellStatus status = model::CellStatus::pending;
  std::string reason;  // its code; empty: none
  std::int64_t launches = 0;
  std::size_t begin = 0;  // in the document's text
  std::size_t bytes = 0;
};
struct DocumentInParts {
  model::Result head;  // without cells
  std::vector<CellText> cells;
};
// All of the text is checked to be JSON. text_padding readable bytes follow it. Throws as read_result() does.
DocumentInParts read_parts(std::string_view text, const std::string& source);

// The ladders of such a document.
std::vector<model::Ladder> read_ladders(std::string_view text, const std::string& source);
model::CellResult read_cell(std::string_view text, const std::string& source);

// `graphbench.floors/1`.
std::string to_json(const model::FloorsDocument& document);
// `graphbench.history/1` and `graphbench.series/1`.
std::string to_json(const std::vector<model::HistoryEntry>& entries);
std::string to_json(const model::CellHistory& history);

}  // namespace graphbench::codec
