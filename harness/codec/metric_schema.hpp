// The JSON schema of the metrics in a result document, from the table of metrics.
#pragma once

#include <nlohmann/json.hpp>

namespace graphbench::codec {

// `schema`: reporters/schema/result.schema.json. Returns it with the properties of setup, launches, graph,
// memory and summary that are metrics as the table has them.
nlohmann::ordered_json with_metrics(nlohmann::ordered_json schema);

}  // namespace graphbench::codec
