// Facts about graphs: how many nodes they contain, how a step reaches the caller's memory, and a description
// of each node.
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

struct GraphContents {
  std::int64_t nodes;
};
void add(GraphContents& sum, const GraphContents& more);

struct GraphCounts {
  std::int64_t pieces;        // graphs launched per step; 0 for eager
  GraphContents contents;     // sum over all graphs
  std::int64_t captured_ops;  // ops (markers not counted) that the graphs contain
  std::int64_t eager_ops;     // ops (markers not counted) launched one by one
  std::int64_t rewritten_nodes;
};

// How the steps of a graph cell reach the caller's memory (axis `io`). All values are per step.
struct Io {
  // Copies of whole values outside the graphs. For copy_if_moved: the mean since the capture.
  double copies;
  std::int64_t copy_bytes;
  double copies_kept;             // copies skipped, because the caller passes the graph's own address
  std::int64_t kernel_nodes_set;  // nodes of our own kernels that get new addresses
  std::int64_t copy_nodes_set;    // copy nodes around a library's kernels that get new addresses
  std::int64_t pieces_touched;    // graphs that contain an address of the caller
  std::int64_t set_execs;         // exec_per_set: execs of all the caller's sets; a step runs those of one
  // Means over the `steps` steps since the capture.
  double recordings;
  double updates;
  double updates_refused;
  double instantiations;
  std::int64_t steps;
  // The first refused update (graph_update_failed), with its piece and node. After each refused update, the
  // step instantiates the piece again, and the step's time includes this.
  std::optional<Reason> refused;
};

// A description of a node without addresses, so two captures of one program at one batch compare equal.
struct DescribedNode {
  std::string op;                            // the program's op that recorded this node; empty if none did
  std::string type;                          // "kernel", "memcpy", "memset", ...
  std::string function;                      // the kernel's function, if the device names it
  std::map<std::string, std::string> facts;  // "grid", "block", "bytes", ...
  std::vector<std::int64_t> after;  // nodes that must end before this one: indices in the piece, ascending
};

struct DescribedPiece {
  std::vector<DescribedNode> nodes;  // in the order of recording
};

}  // namespace graphbench::facts
