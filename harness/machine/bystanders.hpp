// Threads of a process that does not measure but starts what does: they keep off the CPUs that may submit,
// whichever these are at the time, and off the cores they belong to.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <string_view>
#include <vector>

#include "harness/model/instruments.hpp"

namespace graphbench::machine {

// "0-1,64" as the system writes lists of CPUs; what is none is left out. Pure.
std::vector<int> parse_cpu_list(std::string_view text);

// The allowed CPUs but `taken` and, where others remain, their siblings: two threads of one core share what
// it computes with. All of them where there is no other. Pure.
std::vector<int> cpus_beside(const std::vector<int>& allowed, const std::vector<int>& taken,
                             const std::vector<int>& siblings);

// Thread-safe. Where the system refuses, a line on stderr says so and the thread stays where it is.
class Bystanders {
 public:
  // Takes the CPUs of the calling thread as those that there are. Throws Error(io) where none can be read.
  Bystanders();

  // The calling thread keeps off from here on: at first off the CPUs that may submit where nobody asks for
  // one.
  void join();
  // All that joined keep off the CPUs that may submit with these; off none where they pin nothing.
  void keep_off(const model::InstrumentOptions& instruments);
  // The calling thread may use every CPU until the next keep_off(): a process that it starts inherits that.
  void spread() const;

 private:
  void place(pid_t thread, const std::vector<int>& cpus) const;

  const std::vector<int> allowed_;
  std::mutex mutex_;
  std::vector<pid_t> threads_;
  std::vector<int> beside_;
};

}  // namespace graphbench::machine
