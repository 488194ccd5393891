// Reads this machine's facts from /etc/os-release, uname and /proc/cpuinfo.
#include "harness/measure/machine/environment.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "graphbench_version.hpp"
#include "graphs/base/digest.hpp"

namespace graphbench::measure {
namespace {

const std::string unknown = "unknown";

std::string without_quotes(std::string text) {
  std::erase(text, '"');
  return text;
}

std::string field_of(const char* path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", at + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return "";
}

std::string os_name() {
  std::string pretty = without_quotes(field_of("/etc/os-release", "PRETTY_NAME=", '='));
  if (pretty.empty()) pretty = unknown;
  utsname system{};
  if (uname(&system) != 0) return pretty;
  return pretty + ", " + system.sysname + " " + system.release;
}

std::string cpu_name() {
  for (const char* key : {"model name", "Model", "CPU part"}) {
    std::string name = field_of("/proc/cpuinfo", key, ':');
    if (!name.empty()) return name;
  }
  return unknown;
}

std::int64_t usable_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
  return std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
}

// The variables to report, because they can change measurements. They contain no secrets.
constexpr const char* measuring_variables[] = {"GRAPHBENCH_AUTOTUNE",   "GRAPHBENCH_CUDNN",
                                               "GRAPHBENCH_PLAN_CACHE", "GRAPHBENCH_PROGRAMMATIC_LAUNCH",
                                               "GRAPHBENCH_MODULE_DIR", "GRAPHBENCH_HOST_MEMORY_BYTES"};

}  // namespace

model::Environment read_environment(const model::DeviceFacts& device) {
  model::Environment environment;
  environment.device = device;
  char name[256] = {};
  environment.hostname = gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : unknown;
  environment.os = os_name();
  environment.cpu = cpu_name();
  environment.cores = usable_cores();
  for (const char* variable : measuring_variables) {
    if (const char* value = std::getenv(variable)) environment.variables[variable] = value;
  }
  environment.fingerprint = fingerprint_of(environment);
  return environment;
}

std::string fingerprint_of(const model::Environment& environment) {
  const model::DeviceFacts& device = environment.device;
  std::string text = "graphbench.environment/1\n";
  for (const std::string& part : {device.kind, device.name, device.compute_capability, device.driver,
                                  device.runtime, environment.cpu, std::string(GRAPHBENCH_VERSION)}) {
    text += part + "\n";
  }
  for (const auto& [library, version] : device.libraries) text += library + "=" + version + "\n";
  return sha256_hex(text);
}

}  // namespace graphbench::measure
