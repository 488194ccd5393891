// NVML against a table of functions of its own: what the monitor reads, and what this process uses. No GPU,
// no driver.
#include "graphs/cuda/nvml.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

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

std::vector<NvmlProcess> listed;
unsigned long long free_now = 0;

class NvmlMemoryTest : public ::testing::Test {
 protected:
  NvmlMemoryTest() {
    listed = {{.pid = 7, .used_bytes = 70}};
    free_now = 1000;
    library_.memory_info = [](NvmlDevice, NvmlMemoryInfo* info) {
      return info->free = free_now, nvml_success;
    };
    library_.compute_processes = [](NvmlDevice, unsigned* count, NvmlProcess* list) {
      *count = static_cast<unsigned>(listed.size());
      std::ranges::copy(listed, list);
      return nvml_success;
    };
  }
  void expect(NvmlMemory& memory, std::size_t bytes, bool of_process) {
    const std::optional<MemoryUse> use = memory.read();
    ASSERT_TRUE(use.has_value());
    EXPECT_EQ(use->bytes, bytes);
    EXPECT_EQ(use->of_process, of_process);
  }
  NvmlLibrary library_;
};

TEST_F(NvmlMemoryTest, IsTheFigureOfTheProcessThatCameWithTheContext) {
  NvmlMemory memory(library_, nullptr);
  listed.push_back({.pid = 4'000'000, .used_bytes = 500});  // as a container's host calls it
  expect(memory, 500, true);
  listed = {{.pid = 9, .used_bytes = 1}, {.pid = 4'000'000, .used_bytes = 600}};
  expect(memory, 600, true);
  listed.pop_back();
  EXPECT_FALSE(memory.read().has_value());
}

TEST_F(NvmlMemoryTest, IsOfItsOwnNumberWhereSeveralCame) {
  NvmlMemory memory(library_, nullptr);
  listed.push_back({.pid = 8, .used_bytes = 1});
  listed.push_back({.pid = static_cast<unsigned>(getpid()), .used_bytes = 500});
  expect(memory, 500, true);
}

TEST_F(NvmlMemoryTest, IsWhatTheDeviceLostWhereNoProcessCanBeTold) {
  NvmlMemory memory(library_, nullptr);
  listed.push_back({.pid = 8, .used_bytes = 1});
  listed.push_back({.pid = 4'000'000, .used_bytes = 500});
  free_now = 400;
  expect(memory, 600, false);
  listed.pop_back();
  free_now = 300;
  expect(memory, 700, false);  // a figure does not change its meaning half way
}

TEST_F(NvmlMemoryTest, AFigureThatNvmlDoesNotGiveIsNone) {
  NvmlMemory memory(library_, nullptr);
  listed.push_back({.pid = 8, .used_bytes = nvml_not_available});
  expect(memory, 0, false);
  library_.memory_info = [](NvmlDevice, NvmlMemoryInfo*) { return 3; };
  EXPECT_FALSE(memory.read().has_value());
}

}  // namespace
}  // namespace graphbench::cuda
