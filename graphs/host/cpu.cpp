// Reads the CPU's name, cores and caches from the system. Divides the CPUs into shares of adjacent CPUs.
#include "graphs/host/cpu.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <thread>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "graphs/host/host_memory.hpp"

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
  // Counts all CPUs if sched_getaffinity() fails: a cpu_set_t is too small for very large machines.
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::size_t last_cache_bytes() noexcept {
  long bytes = 0;
  for (const int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE}) {
    bytes = std::max(bytes, sysconf(level));
  }
  return static_cast<std::size_t>(std::max(bytes, 0L));
}

namespace {

constexpr int shares_max = 1024;

}  // namespace

int shares() {
  const char* text = std::getenv(shares_variable);
  if (text == nullptr) return 0;
  const std::optional<int> count = to_number<int>(text);
  if (count && *count >= 1 && *count <= shares_max) return *count;
  throw Error(ErrorCode::invalid_argument, std::string(shares_variable) + " is \"" + text +
                                               "\": give a number of devices from 1 to " +
                                               std::to_string(shares_max) + ", or unset it");
}

std::optional<int> share_of(const std::string& device) {
  constexpr std::string_view prefix = "host:";
  if (!device.starts_with(prefix)) return std::nullopt;
  const std::optional<int> share = to_number<int>(std::string_view(device).substr(prefix.size()));
  const int count = shares();
  if (share && *share >= 0 && *share < count) return share;
  const std::string there = count == 0
                                ? "the host is one device, named host: set " + std::string(shares_variable) +
                                      "=N to divide the host"
                                : std::string(shares_variable) +
                                      " divides the host into host:0 to host:" + std::to_string(count - 1);
  throw Error(share && count > 0 ? ErrorCode::unsupported : ErrorCode::invalid_argument,
              "open device " + device + ": " + there);
}

std::vector<int> cpus_of(int share, const std::vector<int>& cpus) {
  const auto count = static_cast<std::size_t>(shares());
  if (cpus.size() < count) {
    throw Error(ErrorCode::unsupported, std::string(shares_variable) + "=" + std::to_string(count) +
                                            ": this process may use " + std::to_string(cpus.size()) +
                                            " CPUs: give at most that number");
  }
  const auto begin = [&](std::size_t at) { return static_cast<std::ptrdiff_t>(cpus.size() * at / count); };
  const auto place = static_cast<std::size_t>(share);
  return {cpus.begin() + begin(place), cpus.begin() + begin(place + 1)};
}

std::vector<DeviceStatus> device_statuses() {
  DeviceStatus status;
  status.id = "host";
  try {
    const double gib = static_cast<double>(HostMemory().info().total_bytes) / (1024.0 * 1024.0 * 1024.0);
    char memory[32];
    std::snprintf(memory, sizeof(memory), "%.1f GiB", gib);
    status.available = true;
    status.detail = cpu_name() + ", " + std::to_string(usable_cores()) + " cores, " + memory;
  } catch (const Error& error) {
    status.detail = error.what();
    status.advice = std::string("unset ") + memory_limit_variable + " or set it to a number of bytes";
  }
  std::vector<DeviceStatus> all = {status};
  for (int share = 0; share < shares(); ++share) {
    all.push_back(status);
    all.back().id += ":" + std::to_string(share);
    all.back().detail = "a share of the host's CPUs";
  }
  return all;
}

}  // namespace graphbench::host
