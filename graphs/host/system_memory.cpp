// Reads how much memory there is and how much of it can still be had: the machine's own figures, cut
// down by the control groups this process runs in.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "graphs/host/host_memory.hpp"

namespace graphbench::host {
namespace {

namespace fs = std::filesystem;

// A file that holds one number; none where it is missing or says "max".
std::optional<std::size_t> read_number(const fs::path& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

// The number behind `key` in a file of "key number" lines.
std::size_t read_field(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  for (std::size_t number = 0; file >> word; file.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    if (word == key && file >> number) return number;
  }
  return 0;
}

// Names of one control group version's files.
struct GroupFiles {
  const char* limit;
  const char* usage;
  const char* reclaimable;  // field of memory.stat
};
constexpr GroupFiles version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles version_2{"memory.max", "memory.current", "inactive_file"};

// Applies the limits of a group and of all groups around it, up to `root`.
void apply_group(SystemMemory& memory, const fs::path& root, const std::string& group,
                 const GroupFiles& files) {
  fs::path path = root / fs::path(group).relative_path();
  // Inside a container the path may be the host's, while the own group is mounted at the root.
  for (;; path = path.parent_path()) {
    const auto limit = read_number(path / files.limit);
    const auto usage = read_number(path / files.usage);
    if (limit && usage && *limit < memory.total_bytes) {
      const std::size_t cache = std::min(*usage, read_field(path / "memory.stat", files.reclaimable));
      const std::size_t used = std::min(*limit, *usage - cache);
      memory.total_bytes = *limit;
      memory.available_bytes = std::min(memory.available_bytes, *limit - used);
    }
    if (path == root || !path.has_relative_path()) break;
  }
}

// Whether ":cpu,memory:" names the controller memory.
bool names_memory(const std::string& controllers) {
  const std::size_t at = controllers.find("memory");
  if (at == std::string::npos) return false;
  const char before = controllers[at - 1];
  const char after = controllers[at + 6];
  return (before == ':' || before == ',') && (after == ':' || after == ',');
}

}  // namespace

SystemMemory read_system_memory() {
  SystemMemory memory;
  memory.total_bytes = read_field("/proc/meminfo", "MemTotal:") * 1024;
  memory.available_bytes = read_field("/proc/meminfo", "MemAvailable:") * 1024;
  if (memory.total_bytes == 0) {
    throw Error(ErrorCode::io, "read /proc/meminfo: it gives no MemTotal, so no memory can be promised");
  }
  // Lines "id:controllers:path"; version 2 has id 0 and no controllers.
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first, second - first).append(":");
    const std::string group = line.substr(second + 1);
    if (controllers == "::") apply_group(memory, "/sys/fs/cgroup", group, version_2);
    if (names_memory(controllers)) {
      apply_group(memory, "/sys/fs/cgroup/memory", group, version_1);
    }
  }
  return memory;
}

}  // namespace graphbench::host
