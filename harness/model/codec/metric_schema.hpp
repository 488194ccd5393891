// Generates the schema's properties of metrics and later axes from their tables.
#pragma once

#include <nlohmann/json.hpp>

namespace graphbench::codec {

// `schema` is reporters/schema/result.schema.json. Returns it with new properties from the tables: metrics in
// setup, launches, graph, memory and summary, and later axes in cells and planned axes.
nlohmann::ordered_json with_tables(nlohmann::ordered_json schema);

}  // namespace graphbench::codec
