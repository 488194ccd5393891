// Tests what counts as throttling, when a visit begins for clocks that recover, stay low, rise or cannot be
// probed, and what the environment's fingerprint depends on.
#include "harness/measure/machine/device_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "harness/measure/machine/environment.hpp"

namespace graphbench::measure {
namespace {

facts::DeviceReading reading(std::vector<std::string> throttle) {
  facts::DeviceReading reading{};
  reading.throttle = std::move(throttle);
  return reading;
}

TEST(DeviceState, PowerAndHeatThrottleAndChosenClocksDoNot) {
  EXPECT_TRUE(is_throttled(reading({"sw_power_cap"})));
  EXPECT_TRUE(is_throttled(reading({"applications_clocks_setting", "hw_thermal_slowdown"})));
  EXPECT_FALSE(is_throttled(reading({})));
  EXPECT_FALSE(is_throttled(reading({"applications_clocks_setting", "sync_boost"})));
}

TEST(DeviceState, WhatThrottledInAnyVisitKeepsItsReason) {
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

TEST(DeviceState, WithoutAMonitorNothingIsSaid) {
  model::LaunchMachine machine{};
  add_later_reading(machine, std::nullopt, true);
  EXPECT_FALSE(machine.throttled);
  EXPECT_FALSE(machine.after.has_value());
}

constexpr double quick = 200e-6;
constexpr double slow = 210e-6;

class DeviceClockTest : public testing::Test {
 protected:
  // Probe i takes seconds[i], and every later probe the last of them. Returns the slowdown after settle().
  std::optional<double> settle(std::vector<double> seconds) {
    probes = 0;
    clock.settle([&]() -> std::optional<double> {
      const std::size_t i = std::min(probes++, seconds.size() - 1);
      return seconds.at(i);
    });
    return clock.slowdown([&] { return std::optional(seconds.at(std::min(probes, seconds.size()) - 1)); });
  }
  DeviceClock clock;
  std::size_t probes = 0;
};

TEST_F(DeviceClockTest, OneProbeWhereNothingIsLowered) {
  EXPECT_EQ(settle({quick}), 1.0);
  EXPECT_EQ(probes, 2u) << "the quickest ever is confirmed";
  EXPECT_DOUBLE_EQ(settle({quick * 1.01}).value(), 1.01);
  EXPECT_EQ(probes, 1u);
}

TEST_F(DeviceClockTest, ATimerThatLosesTimeOnceIsNotTheMeasureOfAllLaterProbes) {
  EXPECT_EQ(settle({quick * 0.97, quick}), 1.0);
  EXPECT_EQ(settle({quick}), 1.0);
  settle({quick * 0.97, quick});
  EXPECT_EQ(probes, 2u);
  EXPECT_EQ(settle({quick}), 1.0);
  EXPECT_EQ(probes, 1u) << "nothing to wait for";
}

TEST_F(DeviceClockTest, WaitsForALoweredOneToComeRound) {
  settle({quick});
  EXPECT_EQ(settle({slow, slow, quick * 1.03, quick}), 1.0);
  EXPECT_EQ(probes, 4u);
}

TEST_F(DeviceClockTest, OneThatStaysLowCostsOneWaitOnlyAndIsSaidToBeLowAllTheSame) {
  settle({quick});
  EXPECT_DOUBLE_EQ(settle({slow}).value(), slow / quick);
  EXPECT_GT(probes, 1u);
  EXPECT_DOUBLE_EQ(settle({slow}).value(), slow / quick);
  EXPECT_EQ(probes, 1u);
  EXPECT_EQ(settle({quick}), 1.0) << "it rose again";
  EXPECT_EQ(settle({slow, quick}), 1.0);
  EXPECT_EQ(probes, 2u);
}

TEST_F(DeviceClockTest, TheWaitIsAsLongHoweverLowTheClock) {
  for (const double low : {slow, 4 * quick, 0.01}) {
    clock = DeviceClock();
    settle({quick});
    settle({low});
    EXPECT_NEAR(static_cast<double>(probes) * low, DeviceClock::patience_seconds, low);
  }
}

TEST_F(DeviceClockTest, NothingWhereATimerDoesNotTickDuringAProbe) {
  EXPECT_FALSE(settle({0}));
  EXPECT_EQ(probes, 1u);
  EXPECT_EQ(settle({quick}), 1.0);
}

TEST_F(DeviceClockTest, NothingWhereThereIsNoneToProbe) {
  const auto none = [&]() -> std::optional<double> {
    ++probes;
    return std::nullopt;
  };
  clock.settle(none);
  EXPECT_EQ(probes, 1u);
  EXPECT_FALSE(clock.slowdown(none));
}

TEST(Environment, HasEveryFactOfThisMachine) {
  const model::Environment environment = read_environment();
  EXPECT_FALSE(environment.hostname.empty());
  EXPECT_THAT(environment.os, testing::HasSubstr("Linux"));
  EXPECT_FALSE(environment.cpu.empty());
  EXPECT_GT(environment.cores, 0);
}

TEST(Environment, NamesTheVariablesThatChangeWhatIsMeasuredAndNoSecrets) {
  unsetenv("GRAPHBENCH_PLAN_CACHE");
  setenv("GRAPHBENCH_AUTOTUNE", "off", 1);
  setenv("GRAPHBENCH_TOKEN", "secret", 1);
  EXPECT_THAT(read_environment().variables,
              testing::ElementsAre(testing::Pair("GRAPHBENCH_AUTOTUNE", "off")));
  unsetenv("GRAPHBENCH_AUTOTUNE");
  unsetenv("GRAPHBENCH_TOKEN");
}

TEST(Environment, FingerprintDependsOnWhatChangesNumbersAndNotOnTheHost) {
  model::Environment environment;
  environment.device.driver = "580";
  const std::string base = fingerprint_of(environment);
  EXPECT_EQ(base.size(), 64u);
  environment.hostname = "elsewhere";
  environment.device.uuid = "GPU-1";
  EXPECT_EQ(fingerprint_of(environment), base);
  environment.device.driver = "581";
  EXPECT_NE(fingerprint_of(environment), base);
  environment.device.driver = "580";
  environment.device.libraries["cudnn"] = "9.1";
  EXPECT_NE(fingerprint_of(environment), base);
}

}  // namespace
}  // namespace graphbench::measure
