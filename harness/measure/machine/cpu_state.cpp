// Reads /sys/devices/system/cpu, /proc/loadavg and the limits of this process's control group and all groups
// above it: cpu.max (cgroup version 2) or cpu.cfs_* (version 1).
#include "harness/measure/machine/cpu_state.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>

#include "graphs/base/text.hpp"

namespace graphbench::measure {
namespace {

namespace fs = std::filesystem;

std::string word_in(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

bool names_a_cpu(const std::string& name) {
  return name.size() > 3 && name.starts_with("cpu") && std::isdigit(static_cast<unsigned char>(name[3])) != 0;
}

std::string governor_under(const fs::path& folder) {
  std::string common;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!names_a_cpu(entry.path().filename().string())) continue;
    const std::string governor = word_in(entry.path() / "cpufreq" / "scaling_governor");
    if (governor.empty()) continue;
    if (!common.empty() && governor != common) return "mixed";
    common = governor;
  }
  return common;
}

std::optional<bool> turbo_under(const fs::path& folder) {
  const std::string off = word_in(folder / "intel_pstate" / "no_turbo");
  if (!off.empty()) return off == "0";
  const std::string on = word_in(folder / "cpufreq" / "boost");
  if (!on.empty()) return on == "1";
  return std::nullopt;
}

std::optional<double> share(double quota, double period) {
  if (quota <= 0 || period <= 0) return std::nullopt;  // -1: no limit
  return quota / period;
}

std::optional<double> quota_of(const fs::path& group) {
  double quota = 0;
  double period = 0;
  std::ifstream limit(group / "cpu.max");  // "150000 100000" or "max 100000"
  if (limit) return limit >> quota >> period ? share(quota, period) : std::nullopt;
  std::ifstream quotas(group / "cpu.cfs_quota_us");
  std::ifstream periods(group / "cpu.cfs_period_us");
  return quotas >> quota && periods >> period ? share(quota, period) : std::nullopt;
}

// Returns the smallest CPU quota of this process's control group and of the groups above it (cgroup version
// 1 or 2), as a number of CPUs. Absent if there is no limit.
std::optional<double> read_cpu_quota(const std::string& root) {
  const fs::path mounts = root + "/sys/fs/cgroup";
  std::optional<double> least;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // A line is "id:controllers:path"; `controllers` is empty for cgroup version 2.
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !contains(split(controllers, ','), "cpu")) continue;
    const fs::path mount = controllers.empty() ? mounts : mounts / controllers;
    // Also reads the mount's root, which in a container is the container's group: the line's path may be the
    // host's.
    for (fs::path group = fs::path(line.substr(second + 1)).relative_path();; group = group.parent_path()) {
      if (const std::optional<double> quota = quota_of(mount / group)) {
        least = std::min(quota.value(), least.value_or(*quota));
      }
      if (group.empty()) break;
    }
  }
  return least;
}

}  // namespace

model::CpuState read_cpu_state(const model::InstrumentOptions& instruments, const std::string& root) {
  model::CpuState state;
  state.pinned = instruments.pin;
  state.submitter = instruments.submitter;
  const fs::path cpus = root + "/sys/devices/system/cpu";
  state.governor = governor_under(cpus);
  state.turbo = turbo_under(cpus);
  std::ifstream load(root + "/proc/loadavg");
  double average = 0;
  if (load >> average) state.load_average = average;
  state.cpu_quota = read_cpu_quota(root);
  return state;
}

}  // namespace graphbench::measure
