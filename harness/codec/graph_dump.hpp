// The JSON form of dumped graphs, `graphbench.graph/1`.
#pragma once

#include <string>
#include <string_view>

#include "harness/model/graph_dump.hpp"

namespace graphbench::codec {

std::string to_json(const model::GraphDump& dump);
// Throws Error(invalid_argument), beginning with `what`, for any other text.
model::GraphDump read_graph_dump(std::string_view text, const std::string& what);

}  // namespace graphbench::codec
