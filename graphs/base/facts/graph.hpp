// The contents of a step's graphs, the way in which a step reaches its caller's memory, and graphs described
// node by node.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphbench::facts {

struct Reason {
  std::string code;     // name_of(ErrorCode), or worker_crashed, worker_timeout, interrupted, ...
  std::string message;  // one line
};

// The contents of a graph, counted by the device that recorded it.
struct GraphContents {
  std::int64_t nodes;
};
// Adds every count.
void add(GraphContents& sum, const GraphContents& more);

struct GraphCounts {
  std::int64_t pieces;           // graphs launched per step; 0 for eager
  GraphContents contents;        // sum over all graphs
  std::int64_t captured_ops;     // ops (markers not counted) that the graphs hold
  std::int64_t eager_ops;        // ops (markers not counted) launched one by one
  std::int64_t rewritten_nodes;  // nodes replaced by other nodes that do the same
};

// How a graph cell's steps reach memory that is a caller's (axis `io`). All of it is per step.
struct Io {
  // Copies of whole values, outside of the graphs; for copy_if_moved means over the steps since the capture.
  double copies;
  std::int64_t copy_bytes;
  double copies_kept;             // copies not made, because the caller's pointer is the graph's own
  std::int64_t kernel_nodes_set;  // nodes of our own kernels that get other addresses
  std::int64_t copy_nodes_set;    // copy nodes around kernels whose parameters belong to a library
  std::int64_t pieces_touched;    // graphs that hold an address of the caller's
  std::int64_t set_execs;  // execs of all sets that the setup instantiated; a step launches those of one set
  // Means over the steps since the capture; `steps` is their number.
  double recordings;
  double updates;
  double updates_refused;
  double instantiations;
  std::int64_t steps;
  // The first update that was refused (graph_update_failed). It names piece and node. Each time, the piece
  // was instantiated again within the step's time.
  std::optional<Reason> refused;
};

// Nothing in it is an address: two captures of one program at one batch are equal.
struct DescribedNode {
  std::string op;                            // the program's op that recorded this node; empty if none did
  std::string type;                          // "kernel", "memcpy", "memset", ...
  std::string function;                      // a kernel's function, if the device names it
  std::map<std::string, std::string> facts;  // "grid", "block", "bytes", ...
  std::vector<std::int64_t> after;           // nodes of the piece that it waits for, ascending
};

struct DescribedPiece {
  std::vector<DescribedNode> nodes;  // in the order of recording
};

}  // namespace graphbench::facts
