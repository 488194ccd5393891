// Allocates the host device's memory within the limits of the machine and of this process's control groups.
#include "graphs/host/host_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::host {
namespace {

constexpr std::size_t page_bytes = 4096;

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// The limit in bytes; 0 if the variable is not set.
std::size_t limit_from_environment() {
  const char* text = std::getenv(memory_limit_variable);
  if (text == nullptr) return 0;
  const std::size_t bytes = to_number<std::size_t>(text).value_or(0);
  if (bytes == 0) {
    throw Error(ErrorCode::invalid_argument,
                std::string("open host device: ") + memory_limit_variable + "=\"" + text +
                    "\" is not a positive number of bytes: give one, or unset the variable");
  }
  return bytes;
}

}  // namespace

HostMemory::HostMemory() : limit_bytes_(limit_from_environment()) {}

HostMemory::~HostMemory() {
  if (sizes_.empty()) return;
  complain("host device closed with %zu bytes still allocated", allocated_bytes_);
  for (const auto& [data, bytes] : sizes_) std::free(data);
}

MemoryInfo HostMemory::info() const {
  const SystemMemory system = read_system_memory();
  // Leaves 5 % to the process itself, its libraries and other processes.
  const std::size_t reserve = system.total_bytes / 20;
  MemoryInfo info;
  info.total_bytes = system.total_bytes;
  info.free_bytes = system.available_bytes - std::min(system.available_bytes, reserve);
  if (limit_bytes_ != 0) {
    info.total_bytes = std::min(info.total_bytes, limit_bytes_);
    info.free_bytes = std::min(info.free_bytes, limit_bytes_ - std::min(limit_bytes_, allocated_bytes_));
  }
  return info;
}

void* HostMemory::allocate(std::size_t bytes) {
  const MemoryInfo before = info();
  // Compare before rounding up, because rounding up could overflow.
  if (bytes > before.free_bytes) {
    throw Error(ErrorCode::out_of_memory,
                "allocate " + std::to_string(bytes) + " bytes on host: " + std::to_string(before.free_bytes) +
                    " of " + std::to_string(before.total_bytes) + " bytes are free");
  }
  const std::size_t size = round_up(std::max<std::size_t>(bytes, 1), alignment);
  auto* data = static_cast<unsigned char*>(std::aligned_alloc(alignment, size));
  if (data == nullptr) {
    throw Error(ErrorCode::out_of_memory,
                "allocate " + std::to_string(bytes) + " bytes on host: the system refused the memory");
  }
  // One write per page makes the system provide the memory now, not during a measured step. So the next
  // allocation sees how much memory is left. Linux 5.14 and later provide it faster, by madvise().
  const std::size_t ahead = (page_bytes - reinterpret_cast<std::uintptr_t>(data) % page_bytes) % page_bytes;
  if (size > ahead + page_bytes) (void)madvise(data + ahead, size - ahead, MADV_POPULATE_WRITE);
  for (std::size_t at = 0; at < size; at += page_bytes) data[at] = 0;
  try {
    sizes_.emplace(data, size);
  } catch (...) {
    std::free(data);
    throw;
  }
  allocated_bytes_ += size;
  return data;
}

void HostMemory::deallocate(void* data) noexcept {
  if (data == nullptr) return;
  const auto found = sizes_.find(data);
  if (found == sizes_.end()) {
    complain("free on host: the host device did not allocate %p", data);
    return;
  }
  allocated_bytes_ -= found->second;
  sizes_.erase(found);
  std::free(data);
}

namespace {

namespace fs = std::filesystem;

// The number in the file. Absent if the file is missing or contains "max".
std::optional<std::size_t> read_number(const fs::path& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

// Reads the number after `key` in a file of "key number" lines.
std::size_t read_field(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  for (std::size_t number = 0; file >> word; file.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    if (word == key && file >> number) return number;
  }
  return 0;
}

// The file names of one version of control groups.
struct GroupFiles {
  const char* limit;
  const char* usage;
  const char* reclaimable;  // a field of memory.stat
};
constexpr GroupFiles version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles version_2{"memory.max", "memory.current", "inactive_file"};

void apply_group(SystemMemory& memory, const fs::path& root, const std::string& group,
                 const GroupFiles& files) {
  fs::path path = root / fs::path(group).relative_path();
  // Goes up from the group to `root`, which in a container is the container's own group: /proc may give a
  // path of the host that does not exist in the container.
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

// True if a list such as ":cpu,memory:" contains the memory controller.
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
    throw Error(ErrorCode::io, "read /proc/meminfo: the file has no MemTotal, so the memory size is unknown");
  }
  // The file has lines "id:controllers:path". In version 2, the id is 0 and there are no controllers.
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
