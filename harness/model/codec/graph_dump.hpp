// The JSON form of dumped graphs, `graphbench.graph/1`.
#pragma once

#include <string>

#include "harness/model/graph_dump.hpp"

namespace graphbench::codec {

std::string to_json(const model::GraphDump& dump);

}  // namespace graphbench::codec
