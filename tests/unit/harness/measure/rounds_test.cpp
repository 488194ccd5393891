// How rounds grow and stop, and that Google Benchmark runs exactly what was asked for.
#include "harness/measure/rounds.hpp"

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace graphbench::measure {
namespace {

const PassBounds bounds{.seconds_max = 0.1, .samples_min = 16, .samples_max = 2000};

TEST(NextRound, StartsWithOneStep) {
  EXPECT_EQ(next_round(bounds, 0, 0), 1);
}

TEST(NextRound, GrowsButNeverBeyondWhatTheTimeAllows) {
  EXPECT_EQ(next_round(bounds, 1, 1e-5), 16);
  EXPECT_EQ(next_round(bounds, 100, 0.09), 12);
}

TEST(NextRound, TakesTheMinimumEvenWhenTimeIsUp) {
  EXPECT_EQ(next_round(bounds, 1, 5.0), 15);
  EXPECT_EQ(next_round(bounds, 16, 5.0), 0);
}

TEST(NextRound, StopsAtTheMaximum) {
  EXPECT_EQ(next_round(bounds, 1999, 1e-3), 1);
  EXPECT_EQ(next_round(bounds, 2000, 1e-3), 0);
}

TEST(NextRound, EndsForAnyStepTime) {
  for (const double seconds_a_step : {1e-9, 1e-7, 1e-5, 1e-3, 1e-1, 10.0}) {
    std::int64_t taken = 0;
    int rounds = 0;
    while (const std::int64_t round =
               next_round(bounds, taken, seconds_a_step * static_cast<double>(taken))) {
      taken += round;
      ASSERT_LT(++rounds, 50);
    }
    EXPECT_GE(taken, bounds.samples_min);
    EXPECT_LE(taken, bounds.samples_max);
  }
}

TEST(RunRound, RunsExactlyTheIterationsAskedFor) {
  for (const std::int64_t wanted : {1, 2, 37}) {
    std::int64_t ran = 0;
    run_round("exact", wanted, [&](benchmark::State& state) {
      for (auto _ : state) {
        ++ran;
        state.SetIterationTime(1e-6);
      }
    });
    EXPECT_EQ(ran, wanted);
  }
}

TEST(RunRound, RethrowsWhatTheLoopThrew) {
  EXPECT_THROW(run_round("throwing", 5, [](benchmark::State&) { throw std::runtime_error("boom"); }),
               std::runtime_error);
  std::int64_t ran = 0;
  run_round("after", 2, [&](benchmark::State& state) {
    for (auto _ : state) ++ran;
  });
  EXPECT_EQ(ran, 2);
}

}  // namespace
}  // namespace graphbench::measure
