// Device memory that instantiated graphs hold.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graphs/device/device.hpp"

namespace graphbench::machine {

// A driver takes memory for graphs in chunks, and keeps it after they are destroyed. So a graph is
// instantiated and uploaded many times, and all execs are kept as long as this lives. It is used last in a
// process.
class ExecMemory {
 public:
  // Both outlive this. `nodes_wanted` is how many nodes are made for one figure; more make it finer.
  ExecMemory(Device& device, Stream& stream, std::int64_t nodes_wanted)
      : device_(device), stream_(stream), nodes_wanted_(nodes_wanted) {}

  // Returns what one exec of each of these graphs takes, together. Absent where there is no graph, where no
  // driver says what is used, and where the memory is too small for so many.
  std::optional<double> bytes_of(const std::vector<Graph*>& graphs);

 private:
  Device& device_;
  Stream& stream_;
  std::int64_t nodes_wanted_;
  std::vector<std::unique_ptr<GraphExec>> kept_;
};

}  // namespace graphbench::machine
