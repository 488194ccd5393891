// Tests a cell's passes over its visits, with fake steps and a fake cache that only count.
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

// steps_since_emptied[i] counts the steps between flushes i and i + 1 of the cache.
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

// In each placement, two of eleven steps are outliers: the second is too short, the tenth too long.
class OutlierEvent final : public test::FakeEvent {
 public:
  explicit OutlierEvent(int& steps) : steps_(steps) {}
  double seconds_since(const Event&) const override {
    const int step = steps_++ % 11;
    return step == 1 ? 1e-7 : step == 9 ? 1e-5 : 1e-6;
  }

 private:
  int& steps_;
};

class OutlierDevice final : public test::FakeDevice {
 public:
  std::unique_ptr<Event> make_event() override { return std::make_unique<OutlierEvent>(steps_); }

 private:
  int steps_ = 0;
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

constexpr std::int64_t a_placement = 11;  // samples of a pass
constexpr std::int64_t samples = a_placement * placements;
constexpr std::int64_t visits_to_a_cell = placements * visits_in_a_placement;

class CellPassesTest : public ::testing::Test {
 protected:
  CellPassesTest() {
    bounds_.seconds_max = 10;  // long enough that samples_max ends the passes
    bounds_.samples_max = samples;
  }
  void ramp() { measure_ramp({step_, stream_}, bounds_, launch_); }
  std::unique_ptr<CellPasses> passes() { return make_cell_passes(bounds_, 1, launch_); }
  void visit(CellPasses& cell) { cell.visit({step_, stream_}, device_, nullptr); }
  void measure_all(Device& device, CacheFlush* cache = nullptr) {
    ramp();
    const std::unique_ptr<CellPasses> cell = passes();
    for (std::int64_t i = 0; i < visits_to_a_cell; ++i) cell->visit({step_, stream_}, device, cache);
    cell->finish();
  }

  Trace trace_;
  CachedDevice device_;
  EmptyingStream stream_{device_.log, trace_};
  CountedStep step_{trace_};
  model::SamplingBounds bounds_;
  model::Launch launch_{};
};

std::int64_t due(std::int64_t share, std::int64_t visit) {
  return (share * visit + visits_in_a_placement - 1) / visits_in_a_placement;
}

TEST_F(CellPassesTest, EachPlacementTakesTheSameShareAndEachVisitItsPart) {
  ramp();
  ASSERT_EQ(trace_.steps, 32);
  const std::unique_ptr<CellPasses> cell = passes();
  for (std::int64_t i = 0; i < visits_to_a_cell; ++i) {
    visit(*cell);
    const std::int64_t full = i / visits_in_a_placement;
    const std::int64_t at = i % visits_in_a_placement + 1;
    // Every visit has latency and device samples, and a placement's last visit has throughput steps. Each
    // visit begins with at least one step that is not timed (settling).
    const std::int64_t timed = 32 + 3 * a_placement * full + 2 * due(a_placement, at) +
                               (at == visits_in_a_placement ? a_placement : 0);
    EXPECT_GE(trace_.steps, timed + i + 1);
    EXPECT_LE(trace_.steps, timed + (i + 1) * settling_steps);
  }
  cell->finish();
  EXPECT_EQ(launch_.latency_seconds->count, samples) << "the ramp is not counted";
  EXPECT_EQ(launch_.submit_seconds->count, samples);
  EXPECT_EQ(launch_.device_seconds->count, samples);
  EXPECT_EQ(launch_.latency_samples.size(), 32u + samples) << "but kept";
  EXPECT_EQ(launch_.latency_started_ns.size(), 32u + samples);
  ASSERT_EQ(launch_.placements.size(), static_cast<std::size_t>(placements));
  for (const model::LaunchPlacement& placement : launch_.placements) {
    EXPECT_EQ(placement.latency_samples, a_placement);
    EXPECT_GT(*placement.latency_seconds, 0);
    EXPECT_GT(*placement.throughput_steps_per_second, 0);
  }
  EXPECT_THAT(launch_.latency_stopped_by, ::testing::AnyOf("samples", "precision"));
  EXPECT_GT(*launch_.throughput_steps_per_second, 0);
}

TEST_F(CellPassesTest, ASinglePlacementHasAllSamples) {
  ramp();
  const std::unique_ptr<CellPasses> cell = make_cell_passes(bounds_, 1, launch_, 1);
  for (std::int64_t i = 0; i < visits_in_a_placement; ++i) visit(*cell);
  cell->finish();
  EXPECT_EQ(launch_.placements.size(), 1u);
  EXPECT_EQ(launch_.latency_seconds->count, samples);
}

TEST_F(CellPassesTest, EachPlacementHasSixSamplesWhereTimeIsUpAtOnce) {
  bounds_.seconds_max = 1e-9;
  measure_all(device_);
  for (const model::LaunchPlacement& placement : launch_.placements) EXPECT_GE(placement.latency_samples, 6);
  EXPECT_EQ(launch_.latency_stopped_by, "time");
  EXPECT_TRUE(launch_.latency_seconds->p50_ci95_low);
}

TEST_F(CellPassesTest, EachVisitBeginsWithAnEmptyCacheAndStepsThatAreNoSamples) {
  CacheFlush cache(device_, stream_);
  measure_all(device_, &cache);
  std::vector<std::int64_t> visits(trace_.steps_since_emptied.begin() + 1, trace_.steps_since_emptied.end());
  ASSERT_EQ(visits.size(), static_cast<std::size_t>(visits_to_a_cell));
  // Settling ends early on a machine so busy that eight empty steps take two milliseconds.
  constexpr std::int64_t timed = 2 * a_placement / visits_in_a_placement;
  for (std::size_t i = visits_in_a_placement; i <= visits.size(); i += visits_in_a_placement)
    visits[i - 1] -= a_placement;  // the steps of the throughput pass
  EXPECT_THAT(visits, Each(Gt(timed - 2)));
  EXPECT_THAT(visits, Each(::testing::Le(timed + 2 + settling_steps)));  // shares are rounded up
}

TEST_F(CellPassesTest, ThePrecisionIsThatOfAllSamplesOfAPlacementInWhateverOrderTheyCame) {
  OutlierDevice device;
  measure_all(device);
  EXPECT_EQ(launch_.device_stopped_by, "precision")
      << "the interval's ends are the second and the tenth in order";
  EXPECT_EQ(launch_.device_seconds->p50_ci95_low, launch_.device_seconds->p50_ci95_high);
}

TEST_F(CellPassesTest, AStepThatFailsEndsTheVisitWithItsError) {
  trace_.fail_at_step = 42;
  ramp();
  const std::unique_ptr<CellPasses> cell = passes();
  EXPECT_THROW(visit(*cell), Error);
}

TEST_F(CellPassesTest, OneSampleAPlacementIsEnoughToFinish) {
  bounds_.samples_max = 1;
  measure_all(device_);
  EXPECT_EQ(launch_.latency_seconds->count, placements);
  EXPECT_EQ(launch_.device_seconds->count, placements);
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
  EXPECT_EQ(first.samples_wanted, 58);  // 57.4, rounded up
  EXPECT_EQ(first.samples_max, 250);
  EXPECT_EQ(first.relative_half_width, bounds.relative_half_width);
  const PassBounds last = part_of(bounds, 8, 8);
  EXPECT_DOUBLE_EQ(last.seconds_max, 0.8);
  EXPECT_THAT((std::vector{last.samples_min, last.samples_wanted, last.samples_max}),
              ElementsAre(16, 459, 2000));
}

}  // namespace
}  // namespace graphbench::measure
