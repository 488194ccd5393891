// Generates the schema's properties of metrics, later axes, modes and settings from their tables.
#pragma once

#include <nlohmann/json.hpp>

namespace graphbench::model {

// `schema`: the content of reporters/schema/result.schema.json.
nlohmann::ordered_json with_tables(nlohmann::ordered_json schema);

}  // namespace graphbench::model
