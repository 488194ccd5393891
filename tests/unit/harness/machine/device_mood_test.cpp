// What counts as throttling.
#include "harness/machine/device_mood.hpp"

#include <gtest/gtest.h>

namespace graphbench::machine {
namespace {

model::MachineReading reading(std::vector<std::string> throttle) {
  model::MachineReading reading;
  reading.throttle = std::move(throttle);
  return reading;
}

TEST(DeviceMood, PowerAndHeatThrottle) {
  EXPECT_TRUE(is_throttled(reading({"sw_power_cap"})));
  EXPECT_TRUE(is_throttled(reading({"applications_clocks_setting", "hw_thermal_slowdown"})));
}

TEST(DeviceMood, ChosenClocksAreSteadyAndNoThrottling) {
  EXPECT_FALSE(is_throttled(reading({})));
  EXPECT_FALSE(is_throttled(reading({"applications_clocks_setting", "sync_boost"})));
}

}  // namespace
}  // namespace graphbench::machine
