// Reads the text of a result document. Decodes each cell by its description, checks it, and passes it to a
// visitor, so that only one cell is in memory at a time.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "harness/model/codec/document.hpp"
#include "harness/model/result.hpp"

namespace graphbench::codec {

// A cell, a ladder or a bill. Ladders and bills have their compared values under the same keys as cells.
struct ReadCell {
  std::string id;
  model::CellResult result{};
  std::string_view text;
  bool is_ladder = false;  // true for a ladder and for a bill
};
using CellVisitor = std::function<void(ReadCell&&)>;

// Visits each cell, and returns the result without cells. text_padding readable bytes must follow `text`.
// Throws InputError like parse_document(), after it has visited the cells before the fault.
model::Result walk_document(std::string_view text, const std::string& source, const CellVisitor& visit);

}  // namespace graphbench::codec
