// The pass under load: when a device counts as steady, and what is published where it never is.
#include "harness/measure/sustained.hpp"

#include <gtest/gtest.h>

#include "tests/support/fake_device.hpp"
#include "tests/support/fake_executor.hpp"

namespace graphbench::measure {
namespace {

facts::DeviceReading reading(std::optional<double> clock, std::optional<double> power) {
  facts::DeviceReading made{};
  made.sm_clock_hz = clock;
  made.power_watts = power;
  return made;
}

// A window of four readings.
void add_window(SteadyWindows& windows, const facts::DeviceReading& each, double step_seconds = 1e-3) {
  for (int i = 0; i < 4; ++i) windows.add(0.5, 0.5 / step_seconds, each);
}

TEST(SteadyWindows, TwoWindowsThatAgreeInClockAndPowerAreSteady) {
  SteadyWindows windows;
  add_window(windows, reading(1.98e9, 700));
  EXPECT_FALSE(windows.steady()) << "one window agrees with nothing";
  add_window(windows, reading(1.65e9, 700));
  EXPECT_FALSE(windows.steady()) << "the clock fell";
  add_window(windows, reading(1.65e9, 650));
  EXPECT_FALSE(windows.steady()) << "the power fell";
  add_window(windows, reading(1.64e9, 655));
  EXPECT_TRUE(windows.steady());
  EXPECT_DOUBLE_EQ(*windows.window().sm_clock_hz, 1.64e9);
  EXPECT_DOUBLE_EQ(*windows.window().power_watts, 655);
  EXPECT_DOUBLE_EQ(windows.window().step_seconds, 1e-3);
}

TEST(SteadyWindows, TheTimeOfAStepMustAgreeTooAndDecidesAloneWithoutAMonitor) {
  SteadyWindows windows;
  add_window(windows, reading(1.65e9, 700), 1e-3);
  add_window(windows, reading(1.65e9, 700), 1.004e-3);
  EXPECT_FALSE(windows.steady());
  add_window(windows, {}, 1.02e-3);
  EXPECT_FALSE(windows.steady());
  add_window(windows, {}, 1.029e-3);
  EXPECT_TRUE(windows.steady());
  EXPECT_FALSE(windows.window().sm_clock_hz.has_value());
}

class IdleStep final : public test::FakeExecutor {
 public:
  void enqueue_step() override {}
};

TEST(MeasureSustained, PublishesNoTimeWhereTheLoadNeverWasSteady) {
  test::FakeDevice device;
  test::FakeStream stream(device.log);
  IdleStep step;
  int alive = 0;
  const model::Sustained sustained =
      measure_sustained({step, stream}, device, {.seconds_max = 0.01}, [&] { ++alive; });
  EXPECT_EQ(sustained.stopped_by, "time");
  EXPECT_FALSE(sustained.latency_seconds || sustained.device_seconds || sustained.seconds_to_steady);
  EXPECT_GE(alive, 1);
}

}  // namespace
}  // namespace graphbench::measure
