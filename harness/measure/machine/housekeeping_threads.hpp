// Keeps threads of a process that starts measuring processes, such as the service, off the CPUs that these
// may submit from, and off the other hardware threads of those cores.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace graphbench::machine {

// Parses a list of CPUs as the system writes it, "0-1,64"; what is not a CPU is left out. Pure.
std::vector<int> parse_cpu_list(std::string_view text);

// The allowed CPUs without `taken` and, where others remain, without `siblings`: hardware threads of one core
// share its execution units. All allowed CPUs where none would be left. Pure.
std::vector<int> housekeeping_cpus(const std::vector<int>& allowed, const std::vector<int>& taken,
                                   const std::vector<int>& siblings);

// Thread-safe. Where the system refuses to move a thread, a line on stderr says so and the thread stays.
class HousekeepingThreads {
 public:
  // Uses the CPUs that the calling thread may run on. Throws Error(io) if they cannot be read.
  HousekeepingThreads();

  // Adds the calling thread, which keeps off the CPUs that may submit by default.
  void add_this_thread();
  // All added threads keep off these CPUs, on which a submitting thread may be.
  void keep_off(const std::vector<std::int64_t>& submitter);
  // The calling thread may use every CPU until the next keep_off(): a process that it starts inherits that.
  void use_every_cpu() const;

 private:
  void set_affinity(pid_t thread, const std::vector<int>& cpus) const;

  const std::vector<int> allowed_;
  std::mutex mutex_;
  std::vector<pid_t> threads_;
  std::vector<int> cpus_;
};

}  // namespace graphbench::machine
