// The timing loops under a clock that the test moves: what lies between the two reads, exactly.
#include "harness/measure/timing_loops.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

// A step that takes `submit_ns` to submit; the stream takes `wait_ns` to finish.
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

}  // namespace
}  // namespace graphbench::measure
