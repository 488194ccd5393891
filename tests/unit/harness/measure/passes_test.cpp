// A cell's passes over their visits, on steps and a cache that only count.
#include "harness/measure/passes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_device.hpp"

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

class CountedStep final : public execution::Executor {
 public:
  explicit CountedStep(Trace& trace) : trace_(trace) {}
  Executor& eager() override { return *this; }
  void capture() override {}
  void instantiate() override {}
  void upload() override {}
  void enqueue_step() override {
    if (++trace_.steps == trace_.fail_at_step) throw Error(ErrorCode::device_failed, "step: injected");
    ++trace_.steps_since_emptied.back();
  }
  execution::GraphCounts counts() const override { return {}; }
  const void* output(ir::ValueId) const override { return nullptr; }
  std::vector<execution::StepItem> items() const override { return {}; }
  const std::vector<std::vector<pool::MemoryRange>>& free_ranges() const override { return ranges_; }

 private:
  Trace& trace_;
  std::vector<std::vector<pool::MemoryRange>> ranges_;
};

class StillEvent final : public Event {
 public:
  void record(Stream&) override {}
  double seconds_since(const Event&) const override { return 1e-6; }
};

class CachedDevice final : public test::FakeDevice {
 public:
  std::unique_ptr<Event> make_event() override { return std::make_unique<StillEvent>(); }
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
  std::unique_ptr<CellPasses> passes(CacheFlush* cache) {
    return std::make_unique<CellPasses>("cell", StepUnderTest{step_, stream_}, device_, bounds_, 1, cache,
                                        launch_);
  }

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
  const auto cell = passes(nullptr);
  for (std::int64_t visit = 1; visit <= visits_to_a_cell; ++visit) {
    cell->visit();
    // Latency has 32 left behind the ramp, device 64; throughput has 64 in the last visit.
    const std::int64_t throughput = visit == visits_to_a_cell ? 64 : 0;
    EXPECT_EQ(trace_.steps, 32 + (32 + 64) * visit / visits_to_a_cell + throughput);
  }
  cell->finish();
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
  const auto cell = passes(&cache);
  for (std::int64_t visit = 0; visit < visits_to_a_cell; ++visit) cell->visit();
  cell->finish();
  std::vector<std::int64_t> visits(trace_.steps_since_emptied.begin() + 1, trace_.steps_since_emptied.end());
  ASSERT_EQ(visits.size(), static_cast<std::size_t>(visits_to_a_cell));
  // Settling ends early where a machine is so busy that eight empty calls take two milliseconds.
  constexpr std::int64_t timed = (32 + 64) / visits_to_a_cell;
  visits.back() -= 64;  // throughput
  EXPECT_THAT(visits, Each(Gt(timed)));
  EXPECT_THAT(visits, Each(::testing::Le(timed + settling_steps)));
  EXPECT_EQ(launch_.latency_seconds->count, 64);
  EXPECT_EQ(launch_.device_seconds->count, 64);
}

TEST_F(CellPassesTest, AStepThatFailsEndsTheVisitWithItsError) {
  trace_.fail_at_step = 40;
  ramp();
  const auto cell = passes(nullptr);
  EXPECT_THROW(cell->visit(), Error);
}

TEST_F(CellPassesTest, OneSampleAPassIsEnoughToFinish) {
  bounds_.samples_max = 1;
  ramp();
  const auto cell = passes(nullptr);
  for (std::int64_t visit = 0; visit < visits_to_a_cell; ++visit) cell->visit();
  cell->finish();
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
