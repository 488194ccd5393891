// Reads /proc/self/cgroup and, from the group up to the root, cpu.max (version 2) or cpu.cfs_* (version 1).
#include "harness/measure/machine/cpu_quota.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace graphbench::machine {
namespace {

namespace fs = std::filesystem;

std::optional<double> share(double quota, double period) {
  if (quota <= 0 || period <= 0) return std::nullopt;  // -1: none
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

bool has_cpu(const std::string& controllers) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "cpu") return true;
  }
  return false;
}

}  // namespace

std::optional<double> read_cpu_quota(const std::string& root) {
  const fs::path mounts = root + "/sys/fs/cgroup";
  std::optional<double> least;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // "id:controllers:path"; version 2 names no controllers.
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !has_cpu(controllers)) continue;
    const fs::path mount = controllers.empty() ? mounts : mounts / controllers;
    // Inside a container the path may be the host's, while the own group is mounted at the root.
    for (fs::path group = fs::path(line.substr(second + 1)).relative_path();; group = group.parent_path()) {
      if (const std::optional<double> quota = quota_of(mount / group)) {
        least = std::min(quota.value(), least.value_or(*quota));
      }
      if (group.empty()) break;
    }
  }
  return least;
}

}  // namespace graphbench::machine
