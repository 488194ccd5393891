// Tells that a step which takes long to open is still at work.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace graphbench::foreign {

// Ticks of CPU time that this process and all below it have used: compilers run in processes of their own.
std::int64_t ticks_of_process_tree();

// Until it is destroyed, a thread of its own looks every `seconds`, `beats_max` times at most, and calls
// `beat` if the processes have used at least a tenth of a CPU, its own looking left out. A process that
// sleeps is silent, and one that computes or spins for ever becomes silent.
class Heartbeat {
 public:
  explicit Heartbeat(std::function<void()> beat, double seconds = 2, int beats_max = 900);
  ~Heartbeat();

 private:
  void run(const std::function<void()>& beat, double seconds, int beats_max);

  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace graphbench::foreign
