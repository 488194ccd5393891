// What counts as throttling.
#include "harness/machine/device_mood.hpp"

#include <gtest/gtest.h>

#include <memory>

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

TEST(DeviceMood, WhatThrottledInAnyVisitKeepsItsReason) {
  model::LaunchMachine machine;
  add_later_reading(machine, reading({"applications_clocks_setting"}));
  EXPECT_FALSE(machine.throttled);
  add_later_reading(machine, reading({"sw_power_cap"}));
  model::MachineReading last = reading({});
  last.temperature_celsius = 70;
  add_later_reading(machine, last);
  EXPECT_TRUE(machine.throttled);
  ASSERT_TRUE(machine.after.has_value());
  EXPECT_EQ(machine.after->temperature_celsius, 70);
  EXPECT_EQ(machine.after->throttle,
            (std::vector<std::string>{"sw_power_cap", "applications_clocks_setting"}));
}

// Throttled for its first `throttled` readings.
class TiredMonitor final : public DeviceMonitor {
 public:
  TiredMonitor(int& readings, int throttled) : readings_(readings), throttled_(throttled) {}
  DeviceReading read() override {
    DeviceReading reading;
    if (readings_++ < throttled_) reading.throttle = {"sw_power_cap"};
    return reading;
  }

 private:
  int& readings_;
  int throttled_;
};

// How many readings recover() takes behind one.
int readings_to_recover(int throttled) {
  int readings = 0;
  DeviceMood mood(MonitorResult{std::make_unique<TiredMonitor>(readings, throttled), ""});
  (void)mood.read();
  readings = 1;
  mood.recover();
  return readings - 1;
}

TEST(DeviceMood, RecoversUntilNothingThrottlesButNotForEver) {
  EXPECT_EQ(readings_to_recover(0), 0);
  EXPECT_EQ(readings_to_recover(1), 1);
  EXPECT_EQ(readings_to_recover(3), 3);
  EXPECT_EQ(readings_to_recover(1000), 5);
}

TEST(DeviceMood, WithoutAMonitorNothingIsSaid) {
  DeviceMood mood(MonitorResult{nullptr, "none"});
  EXPECT_FALSE(mood.read().has_value());
  mood.recover();
  model::LaunchMachine machine;
  add_later_reading(machine, std::nullopt);
  EXPECT_FALSE(machine.throttled);
  EXPECT_FALSE(machine.after.has_value());
}

}  // namespace
}  // namespace graphbench::machine
