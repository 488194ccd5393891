// Reads what can be read; a figure that a GPU does not offer stays absent.
#include "graphs/cuda/nvml_monitor.hpp"

#include <array>
#include <memory>
#include <utility>

namespace graphbench::cuda {
namespace {

constexpr unsigned long long gpu_idle = 0x1;

constexpr std::array<std::pair<unsigned long long, const char*>, 8> reason_names = {{
    {0x2, "applications_clocks_setting"},
    {0x4, "sw_power_cap"},
    {0x8, "hw_slowdown"},
    {0x10, "sync_boost"},
    {0x20, "sw_thermal_slowdown"},
    {0x40, "hw_thermal_slowdown"},
    {0x80, "hw_power_brake_slowdown"},
    {0x100, "display_clock_setting"},
}};

}  // namespace

std::vector<std::string> throttle_names(unsigned long long reasons) {
  reasons &= ~gpu_idle;
  std::vector<std::string> names;
  for (const auto& [bit, name] : reason_names) {
    if ((reasons & bit) != 0) names.emplace_back(name);
    reasons &= ~bit;
  }
  for (int bit = 0; bit < 64; ++bit) {
    if ((reasons >> bit & 1) != 0) names.push_back("reason_bit_" + std::to_string(bit));
  }
  return names;
}

MonitorResult NvmlMonitor::open(const NvmlLibrary& library, const std::string& bus_id) {
  int status = library.init();
  if (status != nvml_success) {
    return {nullptr, std::string("NVML could not be initialised: ") + library.error_string(status)};
  }
  NvmlDevice device = nullptr;
  status = library.device_by_pci_bus_id(bus_id.c_str(), &device);
  if (status != nvml_success) {
    const std::string why = "NVML does not know GPU " + bus_id + ": " + library.error_string(status);
    (void)library.shutdown();
    return {nullptr, why};
  }
  return {std::unique_ptr<DeviceMonitor>(new NvmlMonitor(library, device)), "NVML"};
}

NvmlMonitor::~NvmlMonitor() {
  // Nothing depends on it: the process is about to end, or another monitor holds its own count.
  (void)library_.shutdown();
}

facts::DeviceReading NvmlMonitor::read() {
  facts::DeviceReading reading;
  unsigned value = 0;
  if (library_.clock_info(device_, nvml_clock_sm, &value) == nvml_success) reading.sm_clock_hz = value * 1e6;
  if (library_.clock_info(device_, nvml_clock_memory, &value) == nvml_success) {
    reading.memory_clock_hz = value * 1e6;
  }
  if (library_.temperature(device_, nvml_temperature_gpu, &value) == nvml_success) {
    reading.temperature_celsius = value;
  }
  if (library_.power_usage(device_, &value) == nvml_success) reading.power_watts = value * 1e-3;
  unsigned long long reasons = 0;
  if (library_.throttle_reasons(device_, &reasons) == nvml_success) {
    reading.throttle = throttle_names(reasons);
  }
  return reading;
}

}  // namespace graphbench::cuda
