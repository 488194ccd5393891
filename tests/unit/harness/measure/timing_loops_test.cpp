// Tests the timing loops with a clock that the test moves: what exactly lies between the two clock reads,
// how rounds grow and stop, and what is published about the pass under load.
#include "harness/measure/timing_loops.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "harness/measure/passes.hpp"
#include "harness/measure/sustained.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/fake_executor.hpp"

namespace graphbench::measure {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

struct FakeClock {
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<FakeClock, duration>;
  static inline std::int64_t now_ns = 0;
  static time_point now() { return time_point(duration(now_ns)); }
};

// Submitting step i takes `submit_ns` + i nanoseconds. SlowStream then takes 1000 ns to finish.
class TimedStep final : public test::FakeExecutor {
 public:
  void enqueue_step() override {
    FakeClock::now_ns += submit_ns + steps;
    ++steps;
  }

  std::int64_t submit_ns = 100;
  std::int64_t steps = 0;
};

class SlowStream final : public test::FakeStream {
 public:
  using FakeStream::FakeStream;
  void synchronize() override { FakeClock::now_ns += 1000; }
};

class TimingLoopsTest : public ::testing::Test {
 protected:
  test::CallLog log_;
  SlowStream stream_{log_};
  TimedStep step_;
};

TEST_F(TimingLoopsTest, SubmitEndsBeforeTheWaitAndLatencyAfterIt) {
  DurationBuffer submit(3);
  SampleBuffer latency(3);
  latency_loop<FakeClock>(3, {step_, stream_}, submit, latency);
  EXPECT_THAT(submit.seconds(), ElementsAre(DoubleEq(100e-9), DoubleEq(101e-9), DoubleEq(102e-9)));
  EXPECT_THAT(latency.seconds(), ElementsAre(DoubleEq(1100e-9), DoubleEq(1101e-9), DoubleEq(1102e-9)));
  const std::vector<std::int64_t> starts = latency.started_ns();
  EXPECT_EQ(starts[1] - starts[0], 1100);
}

TEST_F(TimingLoopsTest, ThroughputWaitsOnceAtTheEnd) {
  const std::int64_t elapsed_ns = throughput_loop<FakeClock>(4, {step_, stream_});
  EXPECT_EQ(step_.steps, 4);
  EXPECT_EQ(elapsed_ns, 4 * 100 + 0 + 1 + 2 + 3 + 1000);
}

TEST(SampleBuffer, KeepsTheOrder) {
  SampleBuffer buffer(3);
  buffer.push(100, 5);
  buffer.push(200, 3);
  EXPECT_THAT(buffer.seconds(), ElementsAre(DoubleEq(5e-9), DoubleEq(3e-9)));
  EXPECT_THAT(buffer.seconds(1), ElementsAre(DoubleEq(3e-9)));
  EXPECT_THAT(buffer.started_ns(), ElementsAre(100, 200));
}

TEST(SampleBufferDeathTest, OneSampleTooManyIsADefect) {
  SampleBuffer buffer(1);
  buffer.push(0, 1);
  EXPECT_DEATH(buffer.push(0, 2), "assertion failed");
}

constexpr double unknown = std::numeric_limits<double>::infinity();

const PassBounds bounds{.seconds_max = 0.1,
                        .relative_half_width = 0.005,
                        .samples_min = 16,
                        .samples_wanted = 459,
                        .samples_max = 2000};

TEST(StopOf, PrecisionEndsAPassThatHasTheSamplesItWants) {
  EXPECT_EQ(stop_of(bounds, {459, 0.01, 0.005}), StoppedBy::precision);
  EXPECT_EQ(stop_of(bounds, {458, 0.01, 0.001}), std::nullopt);
  EXPECT_EQ(stop_of(bounds, {459, 0.01, 0.0051}), std::nullopt);
}

TEST(StopOf, TimeEndsAPassThatHasTheMinimum) {
  EXPECT_EQ(stop_of(bounds, {16, 0.1, unknown}), StoppedBy::time);
  EXPECT_EQ(stop_of(bounds, {15, 9.0, unknown}), std::nullopt);
}

TEST(StopOf, TheMaximumEndsAnyPass) {
  EXPECT_EQ(stop_of(bounds, {2000, 0.01, unknown}), StoppedBy::samples);
}

TEST(NextRound, StartsWithOneStep) {
  EXPECT_EQ(next_round(bounds, {0, 0, unknown}), 1);
}

TEST(NextRound, GrowsButNeverBeyondWhatTheTimeAllows) {
  EXPECT_EQ(next_round(bounds, {1, 1e-5, unknown}), 16);
  EXPECT_EQ(next_round(bounds, {100, 1e-3, unknown}), 100);
  EXPECT_EQ(next_round(bounds, {100, 0.09, unknown}), 12);
}

TEST(NextRound, EndsWhereTheSamplesWantedAreThere) {
  EXPECT_EQ(next_round(bounds, {300, 1e-3, unknown}), 159);
  EXPECT_EQ(next_round(bounds, {459, 1e-3, unknown}), 459);
}

TEST(NextRound, TakesTheMinimumEvenWhenTimeIsUp) {
  EXPECT_EQ(next_round(bounds, {1, 5.0, unknown}), 15);
}

TEST(NextRound, NeverPassesTheMaximum) {
  EXPECT_EQ(next_round(bounds, {1999, 1e-3, unknown}), 1);
}

TEST(NextRound, EndsForAnyStepTimeAndAnyMaximum) {
  for (const std::int64_t samples_max : {1, 2, 15, 2000}) {
    for (const double seconds_a_step : {1e-9, 1e-7, 1e-5, 1e-3, 1e-1, 10.0}) {
      PassBounds tight = bounds;
      tight.samples_max = samples_max;
      tight.samples_min = std::min(tight.samples_min, samples_max);
      tight.samples_wanted = std::min(tight.samples_wanted, samples_max);
      PassState state{0, 0, unknown};
      int rounds = 0;
      while (!stop_of(tight, state)) {
        const std::int64_t round = next_round(tight, state);
        ASSERT_GE(round, 1);
        state.samples += round;
        state.seconds = seconds_a_step * static_cast<double>(state.samples);
        ASSERT_LT(++rounds, 50);
      }
      EXPECT_GE(state.samples, tight.samples_min);
      EXPECT_LE(state.samples, tight.samples_max);
    }
  }
}

facts::DeviceReading reading(std::optional<double> clock, std::optional<double> power) {
  facts::DeviceReading made{};
  made.sm_clock_hz = clock;
  made.power_watts = power;
  return made;
}

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
      summarize_loads({measure_sustained({step, stream}, device, {.seconds_max = 0.01}, [&] { ++alive; })});
  EXPECT_EQ(sustained.stopped_by, "time");
  EXPECT_FALSE(sustained.latency_seconds || sustained.device_seconds || sustained.seconds_to_steady);
  EXPECT_GE(alive, 1);
}

TEST(MeasureSustained, TakesThePlacementsTogether) {
  LoadedPlacement first{};
  first.load.sm_clock_hz = 1e9;
  first.load.seconds_to_steady = 4;
  first.load.stopped_by = "steady";
  first.latency_seconds = first.device_seconds = std::vector<double>(9, 1e-3);
  LoadedPlacement second = first;
  second.load.sm_clock_hz = 2e9;
  second.load.seconds_to_steady = 6;
  second.latency_seconds = std::vector<double>(3, 4e-3);
  const model::Sustained both = summarize_loads({first, second});
  EXPECT_NEAR(both.latency_seconds->p50, 2e-3, 1e-9) << "each counts alike, whatever its number of samples";
  EXPECT_EQ(both.sm_clock_hz, 1.5e9);
  EXPECT_EQ(both.seconds_to_steady, 6);
  second.load.stopped_by = "time";
  second.latency_seconds.clear();
  EXPECT_FALSE(summarize_loads({first, second}).latency_seconds) << "one never became steady";
}

}  // namespace
}  // namespace graphbench::measure
