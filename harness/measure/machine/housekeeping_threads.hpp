// Keeps the threads of a parent process, such as the service, off the cores from which its measuring
// processes may submit.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "harness/measure/machine/cpu_choice.hpp"

namespace graphbench::measure {

// Returns the allowed CPUs without `taken` and, if any remain, without the others of their cores, because
// hardware threads of one core share its execution units. Returns all allowed CPUs if `taken` has them all.
// `cpus` tells which CPUs share a core. Pure.
std::vector<int> housekeeping_cpus(const std::vector<int>& allowed, const std::vector<int>& taken,
                                   const std::vector<Cpu>& cpus);

// Thread-safe. If the system refuses to move a thread, prints a warning to stderr; the thread stays.
class HousekeepingThreads {
 public:
  // Uses the CPUs that the calling thread may run on. Throws Error(io) if they cannot be read.
  HousekeepingThreads();

  // Adds the calling thread, and moves it off the CPUs of the last keep_off(). Before the first keep_off(),
  // these are the CPUs from which processes submit by default.
  void add_this_thread();
  void keep_off(const std::vector<std::int64_t>& submitter);
  // Lets the calling thread, and so its child processes, use every CPU until the next keep_off().
  void use_every_cpu() const;

 private:
  void set_affinity(pid_t thread, const std::vector<int>& cpus) const;

  const std::vector<int> allowed_;
  // Read once for all calls of keep_off(): hwloc moves the calling thread over all CPUs while it reads.
  const std::vector<Cpu> cpus_of_machine_ = read_cpu_topology("").cpus;
  std::mutex mutex_;
  std::vector<pid_t> threads_;
  std::vector<int> cpus_;
};

}  // namespace graphbench::measure
