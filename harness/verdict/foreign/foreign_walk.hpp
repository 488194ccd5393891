// What the readers of other tools' documents share: one strict pass over a text. Internal to
// harness/verdict/foreign.
#pragma once

#include <string_view>
#include <unordered_set>

#include "harness/codec/json_walk.hpp"
#include "harness/model/input_error.hpp"
#include "harness/verdict/compare/documents.hpp"

namespace graphbench::compare {

// Calls visit(key, value) for each field of the document; refuses what is not one JSON object.
template <typename Visit>
void walk_document(codec::JsonWalk& walk, std::string_view text, Visit&& visit) {
  try {
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document json =
        parser.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING);
    walk.fields(json, visit);
    const char* rest = nullptr;
    if (json.current_location().get(rest) == simdjson::SUCCESS) {
      walk.fail("it is not JSON: something follows the document");
    }
  } catch (const simdjson::simdjson_error& error) {
    walk.fail(error);
  }
}

// What a comparison requires of every tool's documents.
inline void check_cells(const codec::JsonWalk& walk, const Document& document) {
  if (document.cells.empty()) walk.fail("it holds no benchmark that ran: there is nothing to compare");
  std::unordered_set<std::string_view> seen;
  seen.reserve(document.cells.size());
  for (const DocumentCell& cell : document.cells) {
    if (!seen.insert(cell.id).second) {
      walk.fail("benchmark " + in_quotes(cell.id) + " is there twice: names must differ");
    }
  }
}

}  // namespace graphbench::compare
