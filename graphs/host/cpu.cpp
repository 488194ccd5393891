// CPU name, cores and features, from /proc/cpuinfo and the scheduler's affinity.
#include "graphs/host/cpu.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <thread>

namespace graphbench::host {
namespace {

// The first line "<key> : <value>" of /proc/cpuinfo; empty where there is none.
std::string cpuinfo_value(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    return line.substr(colon + 2);
  }
  return "";
}

}  // namespace

std::string cpu_name() {
  const std::string name = cpuinfo_value("model name");
  return name.empty() ? "unknown CPU" : name;
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

bool has_bf16_arithmetic() {
#if defined(__x86_64__)
  // Asked of the system rather than of cpuid: the system must also save the registers.
  static const bool found = cpuinfo_value("flags").append(" ").find(" avx512_bf16 ") != std::string::npos;
  return found;
#else
  return false;
#endif
}

}  // namespace graphbench::host
