// Reads /sys/devices/system/cpu and /proc/loadavg.
#include "harness/measure/machine/cpu_state.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>

#include "harness/measure/machine/cpu_quota.hpp"

namespace graphbench::machine {
namespace {

namespace fs = std::filesystem;

std::string word_in(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// "cpu0", "cpu17", but not "cpufreq".
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

}  // namespace

model::CpuState read_cpu_state(const std::string& root) {
  model::CpuState state;
  const fs::path cpus = root + "/sys/devices/system/cpu";
  state.governor = governor_under(cpus);
  state.turbo = turbo_under(cpus);
  std::ifstream load(root + "/proc/loadavg");
  double average = 0;
  if (load >> average) state.load_average = average;
  state.cpu_quota = read_cpu_quota(root);
  return state;
}

}  // namespace graphbench::machine
