// Reads the text of a result document. Each cell is decoded by its description, checked and passed on, so
// that only one is in memory at a time.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "harness/model/codec/document.hpp"
#include "harness/model/result.hpp"

namespace graphbench::codec {

// A cell, or a ladder or bill, which are read like a cell because their compared values have the same keys.
struct ReadCell {
  std::string id;
  model::CellResult result{};
  std::string_view text;  // the text as it stands in the document
  bool is_ladder = false;
};
using CellVisitor = std::function<void(ReadCell&&)>;

// Returns the result without its cells. text_padding readable bytes must follow `text`. Throws InputError as
// parse_document() does. Cells before the fault have been visited by then.
model::Result walk_document(std::string_view text, const std::string& source, const CellVisitor& visit);

}  // namespace graphbench::codec
