// The host device's memory: how much may be allocated, how much is, and a refusal where the system would
// promise memory that it does not have.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "graphs/device/device.hpp"

namespace graphbench::host {

// The memory that the machine and this process's control groups leave.
struct SystemMemory {
  std::size_t total_bytes = 0;
  std::size_t available_bytes = 0;
};
SystemMemory read_system_memory();

// The environment variable that makes the device's memory smaller than the machine's: a plain number
// of bytes. A sweep can be kept within a budget with it, and tests provoke out_of_memory.
inline constexpr const char* memory_limit_variable = "GRAPHBENCH_HOST_MEMORY_BYTES";

class HostMemory {
 public:
  HostMemory();  // throws Error(invalid_argument) if the variable is not a positive number
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  // Memory with 512-byte alignment, all of whose pages exist. Throws Error(out_of_memory) with sizes.
  void* allocate(std::size_t bytes);
  void deallocate(void* data) noexcept;
  MemoryInfo info() const;
  std::size_t allocated_bytes() const noexcept { return allocated_bytes_; }

  static constexpr std::size_t alignment = 512;
  static constexpr std::size_t granularity = 64 * 1024;

 private:
  std::size_t limit_bytes_ = 0;  // 0: no limit beyond the machine's
  std::size_t allocated_bytes_ = 0;
  std::unordered_map<void*, std::size_t> sizes_;
};

}  // namespace graphbench::host
