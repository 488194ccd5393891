// The host device's memory. Refuses more than the available memory, even if the system would grant it.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "graphs/device/device.hpp"

namespace graphbench::host {

// The machine's memory, within the limits of this process's control groups.
struct SystemMemory {
  std::size_t total_bytes = 0;
  std::size_t available_bytes = 0;
};
SystemMemory read_system_memory();

// Limits the device's memory: keeps a sweep within a budget, and lets tests cause out_of_memory.
inline constexpr const char* memory_limit_variable = "GRAPHBENCH_HOST_MEMORY_BYTES";

class HostMemory {
 public:
  HostMemory();  // throws Error(invalid_argument) if the variable is not a positive number
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  // On return all pages are present. Throws Error(out_of_memory).
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
