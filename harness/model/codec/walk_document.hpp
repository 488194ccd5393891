// The one way from the text of a result document into memory: each cell is decoded by its description,
// checked, and handed on, so that no more than one is held here.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "harness/model/codec/document.hpp"
#include "harness/model/result.hpp"

namespace graphbench::codec {

// A ladder that served traffic, or a bill, is read like a cell: its compared values have the same places.
struct ReadCell {
  std::string id;
  model::CellResult result{};
  std::string_view text;  // the text as it stands in the document
  bool is_ladder = false;
};
using CellVisitor = std::function<void(ReadCell&&)>;

// Returns the head, which is the result without its cells. text_padding readable bytes follow `text`. Throws
// InputError, as parse_document() does; cells before the place have then been visited.
model::Result walk_document(std::string_view text, const std::string& source, const CellVisitor& visit);

}  // namespace graphbench::codec
