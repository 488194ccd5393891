// The JSON schema of the metrics and later axes in a result document, from their tables.
#pragma once

#include <nlohmann/json.hpp>

namespace graphbench::codec {

// `schema`: reporters/schema/result.schema.json. Returns it with the properties of setup, launches, graph,
// memory and summary that are metrics, and those of cells and planned axes that are later axes, as the tables
// have them.
nlohmann::ordered_json with_tables(nlohmann::ordered_json schema);

}  // namespace graphbench::codec
