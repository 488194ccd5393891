// Reports that a step which takes long to open is still working.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

namespace graphbench::measure {

// The CPU time in ticks of this process and its descendants, which count because compilers run as children.
std::int64_t ticks_of_process_tree();

// A thread checks every `seconds`, but only `beats_max` times, so that a step's endless loop is found.
// It calls `beat` if the processes used at least a tenth of a CPU since the last check, without this thread.
class Heartbeat {
 public:
  explicit Heartbeat(std::function<void()> beat, double seconds = 2, int beats_max = 900);

 private:
  std::jthread thread_;
};

}  // namespace graphbench::measure
