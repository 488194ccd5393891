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

// Gives `seconds` one after the other, and the last for ever. What settle() leaves is then the slowdown.
class Probed {
 public:
  std::optional<double> settle(DeviceClock& clock, std::vector<double> seconds) {
    probes = 0;
    clock.settle([&]() -> std::optional<double> {
      const std::size_t i = std::min(probes++, seconds.size() - 1);
      return seconds.at(i);
    });
    return clock.slowdown([&] { return std::optional(seconds.at(std::min(probes, seconds.size()) - 1)); });
  }
  std::size_t probes = 0;
};

TEST(DeviceClock, OneProbeWhereNothingIsLowered) {
  DeviceClock clock;
  Probed probed;
  EXPECT_EQ(probed.settle(clock, {quick}), 1.0);
  EXPECT_EQ(probed.probes, 1u);
  EXPECT_DOUBLE_EQ(probed.settle(clock, {quick * 1.01}).value(), 1.01);
  EXPECT_EQ(probed.probes, 1u);
}

TEST(DeviceClock, WaitsForALoweredOneToComeRound) {
  DeviceClock clock;
  Probed probed;
  probed.settle(clock, {quick});
  EXPECT_EQ(probed.settle(clock, {slow, slow, quick * 1.03, quick}), 1.0);
  EXPECT_EQ(probed.probes, 4u);
}

TEST(DeviceClock, OneThatStaysLowCostsOneWaitOnlyAndIsSaidToBeLowAllTheSame) {
  DeviceClock clock;
  Probed probed;
  probed.settle(clock, {quick});
  EXPECT_DOUBLE_EQ(probed.settle(clock, {slow}).value(), slow / quick);
  EXPECT_GT(probed.probes, 1u);
  EXPECT_DOUBLE_EQ(probed.settle(clock, {slow}).value(), slow / quick);
  EXPECT_EQ(probed.probes, 1u);
  EXPECT_EQ(probed.settle(clock, {quick}), 1.0) << "it rose again";
  EXPECT_EQ(probed.settle(clock, {slow, quick}), 1.0);
  EXPECT_EQ(probed.probes, 2u);
}

TEST(DeviceClock, TheWaitIsAsLongHoweverLowTheClock) {
  for (const double low : {slow, 4 * quick, 0.01}) {
    DeviceClock clock;
    Probed probed;
    probed.settle(clock, {quick});
    probed.settle(clock, {low});
    EXPECT_NEAR(static_cast<double>(probed.probes) * low, DeviceClock::patience_seconds, low);
  }
}

TEST(DeviceClock, NothingWhereATimerDoesNotTickDuringAProbe) {
  DeviceClock clock;
  Probed probed;
  EXPECT_FALSE(probed.settle(clock, {0}));
  EXPECT_EQ(probed.probes, 1u);
  EXPECT_EQ(probed.settle(clock, {quick}), 1.0);
}

TEST(DeviceClock, NothingWhereThereIsNoneToProbe) {
  DeviceClock clock;
  int probes = 0;
  const auto none = [&]() -> std::optional<double> {
    ++probes;
    return std::nullopt;
  };
  clock.settle(none);
  EXPECT_EQ(probes, 1);
  EXPECT_FALSE(clock.slowdown(none));
}

}  // namespace
}  // namespace graphbench::machine
