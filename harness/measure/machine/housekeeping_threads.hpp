// Threads of a process that starts what measures, as the service does. They keep off the CPUs that a
// measuring process may submit from, and off the other hardware threads of these cores.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/instruments.hpp"

namespace graphbench::machine {

// "0-1,64" as the system writes lists of CPUs; what is not a CPU is left out. Pure.
std::vector<int> parse_cpu_list(std::string_view text);

// The allowed CPUs without `taken` and, where others remain, without `siblings`: hardware threads of one core
// share its execution units. All allowed CPUs where none would be left. Pure.
std::vector<int> housekeeping_cpus(const std::vector<int>& allowed, const std::vector<int>& taken,
                                   const std::vector<int>& siblings);

// Thread-safe. Where the system refuses to move a thread, a line on stderr says so and the thread stays.
class HousekeepingThreads {
 public:
  // Uses the CPUs that the calling thread may run on. Throws Error(io) where they cannot be read.
  HousekeepingThreads();

  // From here on the calling thread keeps off: at first off the CPUs that may submit by default.
  void add_this_thread();
  // All added threads keep off the CPUs that may submit with these options; off none without pinning.
  void keep_off_submitter(const model::InstrumentOptions& instruments);
  // The same, now that it is known where the measured device is (DeviceFacts::pci_bus_id).
  void keep_off_submitter_near(const std::string& pci_bus_id);
  // The calling thread may use every CPU until the next keep_off_submitter(): a process that it starts
  // inherits that.
  void use_every_cpu() const;

 private:
  void set_affinity(pid_t thread, const std::vector<int>& cpus) const;

  const std::vector<int> allowed_;
  model::InstrumentOptions instruments_;  // read and written by the thread that starts what measures
  std::mutex mutex_;
  std::vector<pid_t> threads_;
  std::vector<int> cpus_;
};

}  // namespace graphbench::machine
