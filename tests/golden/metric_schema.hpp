// Generates the schema's properties of metrics and of later axes from the tables in harness/model.
#pragma once

#include <nlohmann/json.hpp>

namespace graphbench::codec {

// `schema`: the content of reporters/schema/result.schema.json.
nlohmann::ordered_json with_tables(nlohmann::ordered_json schema);

}  // namespace graphbench::codec
