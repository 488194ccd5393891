// The graphs of one cell as plain data: what --dump-graph writes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace graphbench::model {

// Nothing in it is an address: two captures of one program at one batch are equal.
struct DumpedNode {
  std::string op;                            // of the program, that recorded it; empty: none did
  std::string type;                          // "kernel", "memcpy", "memset", ...
  std::string function;                      // of a kernel, where the device tells
  std::map<std::string, std::string> facts;  // "grid", "block", "bytes", ...
  std::vector<std::int64_t> after;           // nodes of the piece that it waits for, ascending
};

struct DumpedPiece {
  std::vector<DumpedNode> nodes;  // in the order of recording
};

struct GraphDump {
  std::string schema = "graphbench.graph/1";
  std::string cell;  // its id
  std::vector<DumpedPiece> pieces;
};

}  // namespace graphbench::model
