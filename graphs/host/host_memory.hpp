// The host device's memory. Refuses more than the available memory, even if the system would grant it.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "graphs/device/device.hpp"

namespace graphbench::host {

// The memory that is available to this process on this machine and in its control groups.
struct SystemMemory {
  std::size_t total_bytes = 0;
  std::size_t available_bytes = 0;
};
SystemMemory read_system_memory();

// The environment variable that limits the device's memory, as a number of bytes. It keeps a sweep within a
// budget, and lets tests cause out_of_memory.
inline constexpr const char* memory_limit_variable = "GRAPHBENCH_HOST_MEMORY_BYTES";

class HostMemory {
 public:
  HostMemory();  // throws Error(invalid_argument) if the variable is not a positive number
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  // Returns memory, aligned to 512 bytes, with all pages present. Throws Error(out_of_memory) with sizes.
  void* allocate(std::size_t bytes);
  void deallocate(void* data) noexcept;
  MemoryInfo info() const;
  std::size_t allocated_bytes() const noexcept { return allocated_bytes_; }

  static constexpr std::size_t alignment = 512;
  static constexpr std::size_t granularity = 64 * 1024;

 private:
  std::size_t limit_bytes_ = 0;  // 0: only the machine's limit
  std::size_t allocated_bytes_ = 0;
  std::unordered_map<void*, std::size_t> sizes_;
};

}  // namespace graphbench::host
