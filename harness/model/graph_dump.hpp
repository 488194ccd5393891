// The graphs of one cell as plain data, for --dump-graph.
#pragma once

#include <string>
#include <vector>

#include "graphs/base/facts/graph.hpp"

namespace graphbench::model {

struct GraphDump {
  std::string schema = "graphbench.graph/1";
  std::string cell;  // its id
  std::vector<facts::DescribedPiece> pieces;
};

}  // namespace graphbench::model
