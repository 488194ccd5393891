// Device memory that one more instantiated graph costs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graphs/device/device.hpp"

namespace graphbench::machine {

// The memory of one more exec of each graph of a step, together. A driver takes memory in quanta, so the cost
// is known to one quantum, shared out over the execs that were made: two measurements of the same graphs
// differ by less.
struct ExecCost {
  double bytes = 0;
  double resolution_bytes = 0;
};

// The graphs that one step launches.
using StepGraphs = std::vector<Graph*>;

// Graphs are instantiated and uploaded until the driver has taken `quanta` of its quanta, 2 MiB each as a
// rule. At 20 quanta these are some hundred execs of 40 nodes, in 0.1 ms each, and about as many readings:
// less than 0.1 s. A driver keeps memory after execs are destroyed, and would serve it again, so all execs
// are kept as long as this lives. It is used last in a process.
class ExecMemory {
 public:
  static constexpr std::int64_t usual_quanta = 20;

  // Both outlive this.
  ExecMemory(Device& device, Stream& stream, std::int64_t quanta = usual_quanta)
      : device_(device), stream_(stream), quanta_(quanta) {}

  // One cost for each of these steps. Steps with as many graphs and nodes are measured together and have the
  // same cost. Costs do not follow from numbers of nodes: an exec of 3 nodes costs more than half of one of
  // 40. Absent if a step has no graph, if no driver reports used memory or it took nothing twice, and if the
  // memory is too small for that many execs.
  std::vector<std::optional<ExecCost>> costs_of(const std::vector<StepGraphs>& steps);

 private:
  std::optional<ExecCost> cost_of(const std::vector<StepGraphs>& alike);

  Device& device_;
  Stream& stream_;
  std::int64_t quanta_;
  std::vector<std::unique_ptr<GraphExec>> kept_;
};

}  // namespace graphbench::machine
