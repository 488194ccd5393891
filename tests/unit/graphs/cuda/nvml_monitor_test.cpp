// The NVML monitor against a table of functions of its own: no GPU, no driver.
#include <gtest/gtest.h>

#include "graphs/cuda/nvml.hpp"

namespace graphbench::cuda {
namespace {

int users = 0;
int handle_status = nvml_success;
int power_status = nvml_success;

NvmlLibrary fake_nvml() {
  users = 0;
  handle_status = nvml_success;
  power_status = nvml_success;
  NvmlLibrary library;
  library.init = [] { return ++users, nvml_success; };
  library.shutdown = [] { return --users, nvml_success; };
  library.error_string = [](int status) { return status == 6 ? "Not Found" : "Not Supported"; };
  library.device_by_pci_bus_id = [](const char* bus_id, NvmlDevice* device) {
    *device = reinterpret_cast<NvmlDevice>(const_cast<char*>(bus_id));
    return handle_status;
  };
  library.clock_info = [](NvmlDevice, unsigned clock, unsigned* megahertz) {
    *megahertz = clock == nvml_clock_sm ? 1980u : 3201u;
    return nvml_success;
  };
  library.temperature = [](NvmlDevice, unsigned, unsigned* celsius) { return *celsius = 61, nvml_success; };
  library.power_usage = [](NvmlDevice, unsigned* milliwatts) { return *milliwatts = 412500, power_status; };
  library.throttle_reasons = [](NvmlDevice, unsigned long long* reasons) {
    return *reasons = 0x1 | 0x4, nvml_success;
  };
  return library;
}

TEST(NvmlMonitor, ReadsInBaseUnitsWhatTheGpuHasAndCloses) {
  const NvmlLibrary library = fake_nvml();
  MonitorResult opened = NvmlMonitor::open(library, "0000:1b:00.0");
  ASSERT_NE(opened.monitor, nullptr) << opened.detail;
  const facts::DeviceReading reading = opened.monitor->read();
  EXPECT_DOUBLE_EQ(*reading.sm_clock_hz, 1.98e9);
  EXPECT_DOUBLE_EQ(*reading.memory_clock_hz, 3.201e9);
  EXPECT_DOUBLE_EQ(*reading.temperature_celsius, 61);
  EXPECT_DOUBLE_EQ(*reading.power_watts, 412.5);
  EXPECT_EQ(reading.throttle, std::vector<std::string>{"sw_power_cap"});
  power_status = 3;
  EXPECT_FALSE(opened.monitor->read().power_watts.has_value()) << "a figure that the GPU lacks";
  EXPECT_TRUE(opened.monitor->read().sm_clock_hz.has_value());
  EXPECT_EQ(users, 1);
  opened.monitor.reset();
  EXPECT_EQ(users, 0);
}

TEST(NvmlMonitor, AnUnknownGpuIsAReasonAndLeavesNothingOpen) {
  const NvmlLibrary library = fake_nvml();
  handle_status = 6;
  const MonitorResult opened = NvmlMonitor::open(library, "0000:ff:00.0");
  EXPECT_EQ(opened.monitor, nullptr);
  EXPECT_NE(opened.detail.find("0000:ff:00.0"), std::string::npos) << opened.detail;
  EXPECT_NE(opened.detail.find("Not Found"), std::string::npos) << opened.detail;
  EXPECT_EQ(users, 0);
}

TEST(ThrottleNames, NameEveryBitButIdling) {
  EXPECT_TRUE(throttle_names(0x1).empty());
  EXPECT_EQ(throttle_names(0x40 | 0x1000),
            (std::vector<std::string>{"hw_thermal_slowdown", "reason_bit_12"}));
}

}  // namespace
}  // namespace graphbench::cuda
