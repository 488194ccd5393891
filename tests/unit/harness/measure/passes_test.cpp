// A cell's passes over their visits, on steps and a cache that only count.
#include "harness/measure/passes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_device.hpp"
#include "tests/support/fake_executor.hpp"

namespace graphbench::measure {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;

// Notes the steps between two emptyings of the cache.
struct Trace {
  std::vector<std::int64_t> steps_since_emptied = {0};
  std::int64_t fail_at_step = 0;  // 1: the first; 0: never
  std::int64_t steps = 0;
};

class CountedStep final : public test::FakeExecutor {
 public:
  explicit CountedStep(Trace& trace) : trace_(trace) {}
  void enqueue_step() override {
    if (++trace_.steps == trace_.fail_at_step) throw Error(ErrorCode::device_failed, "step: injected");
    ++trace_.steps_since_emptied.back();
  }

 private:
  Trace& trace_;
};

class CachedDevice final : public test::FakeDevice {
 public:
  std::size_t cache_bytes() const override { return 4096; }
};

class EmptyingStream final : public test::FakeStream {
 public:
  EmptyingStream(test::CallLog& log, Trace& trace) : FakeStream(log), trace_(trace) {}
  void fill_bytes(void*, int, std::size_t bytes) override {
    EXPECT_EQ(bytes, 4096u);
    trace_.steps_since_emptied.push_back(0);
  }

 private:
  Trace& trace_;
};

class CellPassesTest : public ::testing::Test {
 protected:
  CellPassesTest() {
    bounds_.seconds_max = 10;  // samples_max is what ends the passes
    bounds_.samples_max = 64;
  }
  void ramp() { measure_ramp("cell", {step_, stream_}, bounds_, launch_); }
  CellPasses passes() { return {"cell", bounds_, 1, launch_}; }
  void visit(CellPasses& cell, CacheFlush* cache = nullptr) { cell.visit({step_, stream_}, device_, cache); }

  Trace trace_;
  CachedDevice device_;
  EmptyingStream stream_{device_.log, trace_};
  CountedStep step_{trace_};
  model::SamplingBounds bounds_;
  model::Launch launch_;
};

TEST_F(CellPassesTest, EachVisitTakesItsShareOfEveryPass) {
  ramp();
  ASSERT_EQ(trace_.steps, 32);
  CellPasses cell = passes();
  for (std::int64_t i = 1; i <= visits_to_a_cell; ++i) {
    visit(cell);
    // Latency has 32 left behind the ramp, device 64; throughput has 64 in the last visit. Each visit begins
    // with one step at least that settles.
    const auto due = [i](std::int64_t samples) {
      return (samples * i + visits_to_a_cell - 1) / visits_to_a_cell;
    };
    const std::int64_t timed = 32 + due(32) + due(64) + (i == visits_to_a_cell ? 64 : 0);
    EXPECT_GE(trace_.steps, timed + i);
    EXPECT_LE(trace_.steps, timed + i * settling_steps);
  }
  cell.finish();
  EXPECT_EQ(launch_.latency_seconds->count, 64);
  EXPECT_EQ(launch_.submit_seconds->count, 64);
  EXPECT_EQ(launch_.device_seconds->count, 64);
  EXPECT_EQ(launch_.latency_started_ns.size(), 64u);
  EXPECT_THAT(launch_.latency_stopped_by, ::testing::AnyOf("samples", "precision"));
  EXPECT_GT(*launch_.throughput_steps_per_second, 0);
}

TEST_F(CellPassesTest, EachVisitBeginsWithAnEmptyCacheAndStepsThatAreNoSamples) {
  CacheFlush cache(device_, stream_);
  ramp();
  CellPasses cell = passes();
  for (std::int64_t i = 0; i < visits_to_a_cell; ++i) visit(cell, &cache);
  cell.finish();
  std::vector<std::int64_t> visits(trace_.steps_since_emptied.begin() + 1, trace_.steps_since_emptied.end());
  ASSERT_EQ(visits.size(), static_cast<std::size_t>(visits_to_a_cell));
  // Settling ends early where a machine is so busy that eight empty calls take two milliseconds.
  constexpr std::int64_t timed = (32 + 64) / visits_to_a_cell;
  visits.back() -= 64;  // throughput
  EXPECT_THAT(visits, Each(Gt(timed)));
  EXPECT_THAT(visits, Each(::testing::Le(timed + 2 + settling_steps)));  // shares are rounded up
  EXPECT_EQ(launch_.latency_seconds->count, 64);
  EXPECT_EQ(launch_.device_seconds->count, 64);
}

TEST_F(CellPassesTest, AStepThatFailsEndsTheVisitWithItsError) {
  trace_.fail_at_step = 42;
  ramp();
  CellPasses cell = passes();
  EXPECT_THROW(visit(cell), Error);
}

TEST_F(CellPassesTest, OneSampleAPassIsEnoughToFinish) {
  bounds_.samples_max = 1;
  ramp();
  CellPasses cell = passes();
  for (std::int64_t i = 0; i < visits_to_a_cell; ++i) visit(cell);
  cell.finish();
  EXPECT_EQ(launch_.latency_seconds->count, 1);
  EXPECT_EQ(launch_.device_seconds->count, 1);
  EXPECT_FALSE(launch_.throughput_steps_per_second.has_value());
}

TEST(PartOf, HasAllOfEveryBoundAfterTheLastVisitAndNeverLessThanIsDue) {
  const PassBounds bounds{.seconds_max = 0.8,
                          .relative_half_width = 0.005,
                          .samples_min = 16,
                          .samples_wanted = 459,
                          .samples_max = 2000};
  const PassBounds first = part_of(bounds, 1, 8);
  EXPECT_DOUBLE_EQ(first.seconds_max, 0.1);
  EXPECT_EQ(first.samples_min, 2);
  EXPECT_EQ(first.samples_wanted, 58);  // of 57.4
  EXPECT_EQ(first.samples_max, 250);
  EXPECT_EQ(first.relative_half_width, bounds.relative_half_width);
  const PassBounds last = part_of(bounds, 8, 8);
  EXPECT_DOUBLE_EQ(last.seconds_max, 0.8);
  EXPECT_THAT((std::vector{last.samples_min, last.samples_wanted, last.samples_max}),
              ElementsAre(16, 459, 2000));
}

}  // namespace
}  // namespace graphbench::measure
