// Measures how the driver's figure of used memory grows over many instantiations.
#include "harness/measure/machine/exec_memory.hpp"

#include <algorithm>

namespace graphbench::machine {
namespace {

constexpr std::int64_t turns_min = 4;
constexpr std::int64_t turns_max = 512;

}  // namespace

std::optional<double> ExecMemory::bytes_of(const std::vector<Graph*>& graphs) {
  const std::optional<MemoryUse> before = device_.memory_use();
  if (graphs.empty() || !before) return std::nullopt;
  std::int64_t nodes = 0;
  for (const Graph* graph : graphs) nodes += static_cast<std::int64_t>(graph->node_count());
  const std::int64_t turns =
      std::clamp(nodes_wanted_ / std::max<std::int64_t>(nodes, 1), turns_min, turns_max);
  try {
    for (std::int64_t i = 0; i < turns; ++i) {
      for (Graph* graph : graphs) kept_.emplace_back(graph->instantiate())->upload(stream_);
    }
    stream_.synchronize();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    return std::nullopt;
  }
  const std::optional<MemoryUse> after = device_.memory_use();
  if (!after) return std::nullopt;
  return (static_cast<double>(after->bytes) - static_cast<double>(before->bytes)) /
         static_cast<double>(turns);
}

}  // namespace graphbench::machine
