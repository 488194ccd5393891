// One GPU's clocks, temperature, power and throttle reasons through NVML.
#pragma once

#include <string>
#include <vector>

#include "graphs/cuda/nvml_library.hpp"
#include "graphs/device/monitor.hpp"

namespace graphbench::cuda {

class NvmlMonitor final : public DeviceMonitor {
 public:
  ~NvmlMonitor() override;
  NvmlMonitor(const NvmlMonitor&) = delete;
  NvmlMonitor& operator=(const NvmlMonitor&) = delete;

  // `bus_id` as CUDA writes it, "0000:1b:00.0": NVML may number GPUs differently. `library` outlives
  // the monitor.
  static MonitorResult open(const NvmlLibrary& library, const std::string& bus_id);

  facts::DeviceReading read() override;

 private:
  NvmlMonitor(const NvmlLibrary& library, NvmlDevice device) : library_(library), device_(device) {}

  const NvmlLibrary& library_;
  NvmlDevice device_;
};

// Names of the bits that nvmlDeviceGetCurrentClocksThrottleReasons sets, idling left out; a bit that
// is not known is named by its number.
std::vector<std::string> throttle_names(unsigned long long reasons);

}  // namespace graphbench::cuda
