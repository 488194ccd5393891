// When a visit begins, for clocks that recover, stay low, rise, or cannot be probed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "harness/measure/machine/device_state.hpp"

namespace graphbench::machine {
namespace {

constexpr double quick = 200e-6;
constexpr double slow = 210e-6;

class DeviceClockTest : public testing::Test {
 protected:
  // Gives `seconds` one after the other, and the last for ever. What settle() leaves is then the slowdown.
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
  EXPECT_EQ(probes, 1u);
  EXPECT_DOUBLE_EQ(settle({quick * 1.01}).value(), 1.01);
  EXPECT_EQ(probes, 1u);
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

}  // namespace
}  // namespace graphbench::machine
