// What counts as throttling.
#include "harness/measure/machine/device_state.hpp"

#include <gtest/gtest.h>

namespace graphbench::machine {
namespace {

facts::DeviceReading reading(std::vector<std::string> throttle) {
  facts::DeviceReading reading{};
  reading.throttle = std::move(throttle);
  return reading;
}

TEST(DeviceStateReader, PowerAndHeatThrottleAndChosenClocksDoNot) {
  EXPECT_TRUE(is_throttled(reading({"sw_power_cap"})));
  EXPECT_TRUE(is_throttled(reading({"applications_clocks_setting", "hw_thermal_slowdown"})));
  EXPECT_FALSE(is_throttled(reading({})));
  EXPECT_FALSE(is_throttled(reading({"applications_clocks_setting", "sync_boost"})));
}

TEST(DeviceStateReader, WhatThrottledInAnyVisitKeepsItsReason) {
  model::LaunchMachine machine{};
  add_later_reading(machine, reading({"applications_clocks_setting"}), true);
  EXPECT_FALSE(machine.throttled);
  add_later_reading(machine, reading({"sw_power_cap"}), false);
  EXPECT_FALSE(machine.throttled) << "the clock was not lowered: the cell before held it at a limit";
  add_later_reading(machine, reading({"sw_power_cap"}), true);
  facts::DeviceReading last = reading({});
  last.temperature_celsius = 70;
  add_later_reading(machine, last, true);
  EXPECT_TRUE(machine.throttled);
  ASSERT_TRUE(machine.after.has_value());
  EXPECT_EQ(machine.after->temperature_celsius, 70);
  EXPECT_EQ(machine.after->throttle,
            (std::vector<std::string>{"sw_power_cap", "applications_clocks_setting"}));
}

TEST(DeviceStateReader, WithoutAMonitorNothingIsSaid) {
  model::LaunchMachine machine{};
  add_later_reading(machine, std::nullopt, true);
  EXPECT_FALSE(machine.throttled);
  EXPECT_FALSE(machine.after.has_value());
}

}  // namespace
}  // namespace graphbench::machine
