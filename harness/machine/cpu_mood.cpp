// Reads /sys/devices/system/cpu and /proc/loadavg.
#include "harness/machine/cpu_mood.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>

#include "harness/machine/cpu_quota.hpp"

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

model::CpuMood read_cpu_mood(const std::string& root) {
  model::CpuMood mood;
  const fs::path cpus = root + "/sys/devices/system/cpu";
  mood.governor = governor_under(cpus);
  mood.turbo = turbo_under(cpus);
  std::ifstream load(root + "/proc/loadavg");
  double average = 0;
  if (load >> average) mood.load_average = average;
  mood.cpu_quota = read_cpu_quota(root);
  return mood;
}

}  // namespace graphbench::machine
