// Generates the schema's properties of metrics and of later axes from the tables in harness/model.
#pragma once

#include <nlohmann/json.hpp>

namespace graphbench::codec {

// `schema` is the content of reporters/schema/result.schema.json. Returns it with new properties from the
// tables: metrics in a cell's and a launch's objects, and later axes in cells and in the plan's axes.
nlohmann::ordered_json with_tables(nlohmann::ordered_json schema);

}  // namespace graphbench::codec
