// The driver's management library, opened at run time. Its few functions are declared here rather than
// taken from nvml.h, which many toolkits do not ship; their layout is NVML's stable C ABI.
#pragma once

#include <string>

namespace graphbench::cuda {

inline constexpr int nvml_success = 0;
inline constexpr unsigned nvml_clock_sm = 1;
inline constexpr unsigned nvml_clock_memory = 2;
inline constexpr unsigned nvml_temperature_gpu = 0;

inline constexpr unsigned long long nvml_not_available = ~0ULL;  // of a figure

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

// The functions used. Tests fill in a table of their own.
struct NvmlLibrary {
  int (*init)() = nullptr;      // nvmlInit_v2
  int (*shutdown)() = nullptr;  // nvmlShutdown
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

// Null, with the reason in `why`, where libnvidia-ml.so.1 cannot be opened or lacks a function. Opened
// once a process.
const NvmlLibrary* nvml_library(std::string& why);

}  // namespace graphbench::cuda
