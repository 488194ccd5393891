// CPU name, cores and caches, from /proc/cpuinfo and the scheduler's affinity.
#include "graphs/host/cpu.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

namespace graphbench::host {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

int usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  // More cores than cpu_set_t holds: the affinity cannot be read this way, the count still can.
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::size_t last_cache_bytes() noexcept {
  long bytes = 0;
  for (const int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE}) {
    bytes = std::max(bytes, sysconf(level));
  }
  return static_cast<std::size_t>(std::max(bytes, 0L));
}

}  // namespace graphbench::host
