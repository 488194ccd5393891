// NVML, the driver's management library, opened at run time, and readings from it. The functions are declared
// here, because many toolkits lack nvml.h; NVML's C ABI is stable.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graphs/device/instruments.hpp"

namespace graphbench::cuda {

inline constexpr int nvml_success = 0;
inline constexpr unsigned nvml_clock_sm = 1;
inline constexpr unsigned nvml_clock_memory = 2;
inline constexpr unsigned nvml_temperature_gpu = 0;

inline constexpr unsigned long long nvml_not_available = ~0ULL;

using NvmlDevice = struct NvmlDeviceHandle*;

struct NvmlMemoryInfo {  // nvmlMemory_t
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};

struct NvmlProcess {  // nvmlProcessInfo_t
  unsigned pid = 0;
  unsigned long long used_bytes = 0;
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};

// The functions of NVML that we call. Tests fill in their own functions.
struct NvmlLibrary {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char* text, unsigned bytes) = nullptr;
  const char* (*error_string)(int status) = nullptr;
  int (*device_by_pci_bus_id)(const char* bus_id, NvmlDevice* device) = nullptr;
  int (*clock_info)(NvmlDevice device, unsigned clock, unsigned* megahertz) = nullptr;
  int (*temperature)(NvmlDevice device, unsigned sensor, unsigned* celsius) = nullptr;
  int (*power_usage)(NvmlDevice device, unsigned* milliwatts) = nullptr;
  int (*throttle_reasons)(NvmlDevice device, unsigned long long* reasons) = nullptr;
  int (*memory_info)(NvmlDevice device, NvmlMemoryInfo* info) = nullptr;
  int (*compute_processes)(NvmlDevice device, unsigned* count, NvmlProcess* processes) = nullptr;
};

// Opens libnvidia-ml.so.1 once per process. Null if it cannot be used; `why` is then the reason.
const NvmlLibrary* nvml_library(std::string& why);

// This process's share of a GPU's memory, as the driver reports it. CUDA's own value is not enough: it needs
// a context, and the memory of this context must be measured too.
class NvmlMemory {
 public:
  // Must be constructed before this process's first context on the device: all memory in use at that time
  // counts as memory of other processes. `library` must be initialised and outlive this object.
  NvmlMemory(const NvmlLibrary& library, NvmlDevice device);

  // The driver's value for this process, or else the decrease of free memory since construction, which other
  // processes change too. The first call, after the context was created, chooses one of the two. Absent if
  // NVML reports neither.
  std::optional<MemoryUse> read();

 private:
  using Processes = std::map<unsigned, unsigned long long>;  // bytes by NVML's process id

  Processes processes() const;
  std::optional<unsigned long long> free_bytes() const;
  std::optional<unsigned> find_own() const;

  const NvmlLibrary& library_;
  NvmlDevice device_;
  Processes before_;
  std::optional<unsigned long long> free_before_;
  bool decided_ = false;
  std::optional<unsigned> own_;
};

// The first call creates a GPU's NvmlMemory, and the process keeps it. Null without NVML, or if NVML does not
// know the device.
NvmlMemory* nvml_memory_of(const std::string& pci_bus_id);

class NvmlMonitor final : public DeviceMonitor {
 public:
  ~NvmlMonitor() override;
  NvmlMonitor(const NvmlMonitor&) = delete;
  NvmlMonitor& operator=(const NvmlMonitor&) = delete;

  // `bus_id`: CUDA's "0000:1b:00.0", as NVML may number GPUs differently. `library` must outlive the monitor.
  static MonitorResult open(const NvmlLibrary& library, const std::string& bus_id);

  facts::DeviceReading read() override;

 private:
  NvmlMonitor(const NvmlLibrary& library, NvmlDevice device) : library_(library), device_(device) {}

  const NvmlLibrary& library_;
  NvmlDevice device_;
};

// Names the bits of nvmlDeviceGetCurrentClocksThrottleReasons except idling. Unknown bits are numbered.
std::vector<std::string> throttle_names(unsigned long long reasons);

}  // namespace graphbench::cuda
