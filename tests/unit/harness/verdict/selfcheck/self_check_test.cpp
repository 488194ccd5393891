// Rounds whose spread is known: how many alarms, what could have been found, how many launches it takes.
#include "harness/verdict/selfcheck/self_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace graphbench::selfcheck {
namespace {

struct Noise {
  double sigma = 0.01;
  double shift = 0;  // of the second side, as a logarithm
  int launches = 5;
  int cells = 6;
};

// The sum of twelve uniforms is near enough to normal, and the same with every standard library.
double normal(std::mt19937_64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
  return sum;
}

compare::Side side(const Noise& noise, double shift, std::mt19937_64& random) {
  compare::Side made;
  made.documents = 1;
  made.facts.interleaved = "one run";
  for (int i = 0; i < noise.cells; ++i) {
    codec::DocumentCell cell;
    cell.id = "cell " + std::to_string(i);
    for (int launch = 0; launch < noise.launches; ++launch) {
      codec::LaunchTimes times;
      times.index = launch;
      times[model::Metric::latency] = 1e-3 * std::exp(shift + noise.sigma * normal(random));
      cell.launches.push_back(times);
    }
    made.cells.push_back(std::move(cell));
  }
  return made;
}

std::vector<Round> rounds(int count, const Noise& noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Round> made;
  for (int i = 0; i < count; ++i) {
    compare::Side base = side(noise, 0, random);
    made.emplace_back(std::move(base), side(noise, noise.shift, random));
  }
  return made;
}

TEST(SelfCheck, CountsOneComparisonARoundAndAllRenamings) {
  const model::SelfCheck check = check_rounds(rounds(3, {}, 1), {});
  EXPECT_EQ(check.measured.comparisons, 3);
  EXPECT_EQ(check.renamed.comparisons, 3 * 15);  // 2^4 ways for the first four of five pairs, less none
  EXPECT_EQ(check.launches, 5);
  EXPECT_EQ(check.cells, 6);
  ASSERT_EQ(check.metrics.size(), 1U);
  EXPECT_EQ(check.metrics[0].metric, model::Metric::latency);
  EXPECT_EQ(check.metrics[0].cells, 6);
  EXPECT_EQ(check.metrics[0].tests, 18);
}

TEST(SelfCheck, DrawsRenamingsWhereThereAreMany) {
  Noise noise;
  noise.launches = 20;
  CheckOptions options;
  options.renamings_max = 10;
  EXPECT_EQ(check_rounds(rounds(2, noise, 1), options).renamed.comparisons, 20);
}

TEST(SelfCheck, MeasuresTheSpreadOfAPair) {
  const model::SelfCheck check = check_rounds(rounds(40, {}, 2), {});
  ASSERT_TRUE(check.metrics[0].spread_median.has_value());
  EXPECT_NEAR(*check.metrics[0].spread_median, 0.01 * std::sqrt(2), 0.001);
}

TEST(SelfCheck, SeldomCriesWolf) {
  const model::SelfCheck check = check_rounds(rounds(300, {}, 3), {});
  EXPECT_LE(check.measured.slower, 6);  // 2 %
  EXPECT_LE(check.renamed.slower, 90);  // of 4,500
}

TEST(SelfCheck, SeesAWolfThatIsThere) {
  Noise noise;
  noise.sigma = 0.002;
  noise.shift = 0.1;  // not A/A at all: one side always runs hot
  const model::SelfCheck check = check_rounds(rounds(4, noise, 4), {});
  EXPECT_EQ(check.measured.slower, 4);
  EXPECT_EQ(check.slower_rate_max, 1);
  EXPECT_LT(check.renamed.slower, 30) << "with the sides exchanged in half of the pairs there is no change";
}

TEST(SelfCheck, BoundsTheRateThatItDidNotSee) {
  Noise noise;
  noise.sigma = 1e-4;
  const model::SelfCheck check = check_rounds(rounds(10, noise, 5), {});
  EXPECT_EQ(check.measured.slower, 0);
  EXPECT_NEAR(check.slower_rate_max, 1 - std::pow(0.05, 0.1), 1e-9);
}

TEST(SelfCheck, NamesTheWorstCell) {
  auto made = rounds(4, {}, 6);
  for (Round& round : made) {
    for (std::size_t i = 0; i < 5; ++i)
      round.second.cells[3].launches[i][model::Metric::latency] *= i % 2 == 0 ? 1.5 : 0.7;
  }
  const model::MetricCheck metric = check_rounds(made, {}).metrics[0];
  EXPECT_EQ(metric.worst_cell, "cell 3");
  EXPECT_GT(*metric.detectable_worst, 5 * *metric.detectable_median);
  EXPECT_GE(*metric.spread_worst, 5 * *metric.spread_median);
}

TEST(SelfCheck, TheMedianOfTwoCellsLiesBetweenThem) {
  Noise noise;
  noise.cells = 2;
  std::vector<Round> made = rounds(3, noise, 8);
  for (Round& round : made) {
    for (compare::Side* side : {&round.first, &round.second}) {
      for (codec::LaunchTimes& launch : side->cells.back().launches) {
        launch[model::Metric::latency] =
            1e-3 * std::pow(launch[model::Metric::latency] / 1e-3, 4);  // four times the spread
      }
    }
  }
  const model::MetricCheck latency = check_rounds(made, {}).metrics.front();
  ASSERT_TRUE(latency.launches_median && latency.launches_worst);
  EXPECT_LT(*latency.launches_median, *latency.launches_worst);
  EXPECT_GT(2 * *latency.launches_median, *latency.launches_worst);
}

TEST(LaunchesNeeded, FollowTheSpread) {
  const double margin = std::log1p(0.02);
  const auto few = launches_needed({0.005}, margin, 0.05 / 48);
  const auto more = launches_needed({0.01}, margin, 0.05 / 48);
  const auto many = launches_needed({0.1}, margin, 0.05 / 48);
  ASSERT_TRUE(few && more && many);
  EXPECT_LT(*few, *more);
  EXPECT_LT(*more, *many);
  // (z(1 - 0.05 / 96) + z(0.8))^2 (0.1 / 0.0198)^2: 3.28 + 0.84 deviations, with a little more for t.
  EXPECT_NEAR(static_cast<double>(*many), 436, 20);
  EXPECT_FALSE(launches_needed({1.0}, margin, 0.05 / 48).has_value());
}

// The advice holds: with so many launches a change of twice the margin is found in about 4 of 5 rounds.
TEST(LaunchesNeeded, AreEnough) {
  Noise noise;
  noise.cells = 1;
  noise.shift = 2 * std::log1p(0.02);
  const auto needed = launches_needed({noise.sigma * std::sqrt(2)}, std::log1p(0.02), 0.05);
  ASSERT_TRUE(needed);
  noise.launches = static_cast<int>(*needed);
  const model::SelfCheck check = check_rounds(rounds(400, noise, 8), {});
  EXPECT_GE(check.measured.slower, 400 * 0.72);
  EXPECT_LE(check.measured.slower, 400 * 0.97);
}

}  // namespace
}  // namespace graphbench::selfcheck
