// Measures the device memory of one more instantiated graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graphs/device/device.hpp"

namespace graphbench::measure {

// The device memory of one more exec for each graph of a step, in total. A driver takes memory in quanta, so
// the resolution is one quantum divided by the number of instantiated steps. Two measurements of the same
// graphs differ by less than that.
struct ExecCost {
  double bytes = 0;
  double resolution_bytes = 0;
};

using StepGraphs = std::vector<Graph*>;

// Instantiates and uploads graphs until the driver has taken `quanta` quanta, usually of 2 MiB. With 40 nodes
// per graph these are some hundred execs, 0.1 ms each. Keeps all execs until it is destroyed, because a
// driver reuses the memory of destroyed execs. Use this last in a process: the driver keeps that memory.
class ExecMemory {
 public:
  static constexpr std::int64_t usual_quanta = 20;

  // `device` and `stream` outlive this.
  ExecMemory(Device& device, Stream& stream, std::int64_t quanta = usual_quanta)
      : device_(device), stream_(stream), quanta_(quanta) {}

  // One cost per step. Steps with equal numbers of graphs and nodes are measured together and share a cost.
  // A cost is not proportional to nodes: an exec of 3 nodes costs more than half of one with 40. A cost is
  // absent if the step has no graph or one with a conditional node, or if memory runs out. It is also absent
  // if the driver reports no used memory or took memory in fewer than two turns.
  std::vector<std::optional<ExecCost>> costs_of(const std::vector<StepGraphs>& steps);

 private:
  std::optional<ExecCost> cost_of(const std::vector<StepGraphs>& alike);

  Device& device_;
  Stream& stream_;
  std::int64_t quanta_;
  std::vector<std::unique_ptr<GraphExec>> kept_;
};

}  // namespace graphbench::measure
