// Tests means over the cells of a mode, with launches drawn from a fixed seed.
#include "harness/judge/compare/means.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>

#include "harness/judge/compare/compare.hpp"

namespace graphbench::judge {
namespace {

using model::Comparison;
using model::MeanComparison;
using model::Metric;
using model::Verdict;

// Standard deviations of the logarithms of launches' times.
struct Spread {
  double own = 0.005;     // noise of each cell alone
  double common = 0.005;  // noise that all cells of a launch share
};

// Nine cells of each mode. The submit time is 20 us, in mode whole times `change`; the latency is 100 us.
Side side_of(std::uint32_t seed, const Spread& spread, double change, int launches = 5) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Side side;
  side.source = "side";
  side.documents = 1;
  for (const char* mode : {"eager", "whole"}) {
    std::vector<double> common;
    for (int i = 0; i < launches; ++i) common.push_back(spread.common * normal(random));
    for (int batch = 1; batch <= 9; ++batch) {
      DocumentCell& cell = side.cells.emplace_back();
      cell.id = "mlp/base/bf16/forward/b" + std::to_string(batch) + "/w3/" + mode;
      for (int i = 0; i < launches; ++i) {
        const double factor = std::exp(common[static_cast<std::size_t>(i)] + spread.own * normal(random));
        const double slower = cell.id.ends_with("whole") ? change : 1;
        cell.launches.push_back({i, {{Metric::latency, 100e-6}, {Metric::submit, 20e-6 * factor * slower}}});
      }
    }
  }
  return side;
}

MeanComparison mean_of(const Comparison& comparison, const std::string& mode, Metric metric) {
  for (const MeanComparison& mean : comparison.means) {
    if (mean.mode == mode && mean.metric.metric == metric) return mean;
  }
  ADD_FAILURE() << "no mean of " << mode;
  return {};
}

TEST(Means, WhatSlowsAllCellsByLessThanOneCellCouldShowIsFound) {
  const Spread noisy{0.06, 0.005};
  const Comparison comparison = compare(side_of(1, noisy, 1), side_of(2, noisy, 1.1), {});
  EXPECT_EQ(comparison.counts.slower, 0) << "no cell shows it";
  const MeanComparison& whole = mean_of(comparison, "whole", Metric::submit);
  EXPECT_EQ(whole.metric.verdict, Verdict::slower);
  EXPECT_EQ(whole.cells, 9);
  EXPECT_NEAR(whole.metric.ratio, 1.1, 0.03);
  EXPECT_NEAR(whole.metric.new_seconds / whole.metric.base_seconds, whole.metric.ratio, 1e-12);
  EXPECT_NE(mean_of(comparison, "eager", Metric::submit).metric.verdict, Verdict::slower);
  EXPECT_EQ(mean_of(comparison, "whole", Metric::latency).metric.verdict, Verdict::same);
  EXPECT_EQ(comparison.counts.means_slower, 1);
  EXPECT_EQ(comparison.verdict, Verdict::slower);
  EXPECT_FALSE(passed(comparison));
  EXPECT_EQ(comparison.headline.find("slower: whole submit 1."), 0u) << comparison.headline;
  EXPECT_NE(comparison.headline.find("x in the mean of its 9 cells"), std::string::npos)
      << comparison.headline;
}

// The cells of a launch share its noise, so nine cells do not estimate that noise better than one does.
TEST(Means, TheLaunchIsTheReplicate) {
  const Comparison comparison = compare(side_of(1, {0.005, 0.06}, 1), side_of(2, {0.005, 0.06}, 1.1), {});
  const model::MetricComparison& whole = mean_of(comparison, "whole", Metric::submit).metric;
  EXPECT_NE(whole.verdict, Verdict::slower);
  EXPECT_GT(*whole.spread, 0.03);
  EXPECT_GT(*whole.detectable, 0.1);
}

// Tasks that share the effects of launches know the spread no better than one task does.
TEST(Spreads, LaunchesThatAllTasksShareCountOnce) {
  const auto freedom = [](const Spread& spread) {
    const Comparison comparison = compare(side_of(1, spread, 1, 8), side_of(2, spread, 1, 8), {});
    return *comparison.cells.front().metrics.back().freedom;
  };
  EXPECT_GT(freedom({0.001, 0.05}), 20) << "the modes of these sides are independent";
  const auto shared = [](std::uint32_t seed) {
    Side side = side_of(seed, {0.0001, 0.0001}, 1, 8);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (std::int64_t launch = 0; launch < 8; ++launch) {
      const double factor = std::exp(0.05 * normal(random));
      for (DocumentCell& cell : side.cells)
        cell.launches[static_cast<std::size_t>(launch)][Metric::submit] *= factor;
    }
    return side;
  };
  const Comparison comparison = compare(shared(1), shared(2), {});
  EXPECT_NEAR(*comparison.cells.front().metrics.back().freedom, 14, 0.5);
}

TEST(Means, OfOneCellOrOfIdsOfAnotherFormAreNone) {
  Side base = side_of(1, {}, 1);
  base.cells = {base.cells.front(), base.cells.back()};
  EXPECT_TRUE(compare(base, base, {}).means.empty());
  for (DocumentCell& cell : base.cells) cell.id = "BM/" + cell.id.substr(cell.id.size() - 5);
  EXPECT_TRUE(compare(base, base, {}).means.empty());
}

TEST(Means, OneLaunchASideSaysSo) {
  const Comparison comparison = compare(side_of(1, {}, 1, 1), side_of(2, {}, 2, 1), {});
  const model::MetricComparison& whole = mean_of(comparison, "whole", Metric::submit).metric;
  EXPECT_EQ(whole.verdict, Verdict::inconclusive);
  EXPECT_FALSE(whole.p);
  EXPECT_NE(whole.why.find("one launch per side"), std::string::npos) << whole.why;
}

TEST(Means, ACellOfOneLaunchIsLeftOutWhereOthersHaveMore) {
  Side base = side_of(1, {}, 1);
  base.cells.back().launches.resize(1);
  EXPECT_EQ(mean_of(compare(base, side_of(2, {}, 1), {}), "whole", Metric::submit).cells, 8);
}

TEST(Means, NeighboursOfAnInterleavedRunArePaired) {
  Side base = side_of(1, {0.002, 0.1}, 1);
  base.facts.interleaved = "run";
  Side now = base;
  for (DocumentCell& cell : now.cells) {
    for (LaunchTimes& launch : cell.launches)
      launch[Metric::submit] *= 1.03 + 0.001 * static_cast<double>(launch.index % 2);
  }
  const model::MetricComparison& whole = mean_of(compare(base, now, {}), "whole", Metric::submit).metric;
  EXPECT_TRUE(whole.paired);
  EXPECT_EQ(whole.verdict, Verdict::slower) << "what a launch does meets both sides";
}

TEST(Means, TheSmallestDifferenceIsThatOfOneCellOverTheRoot) {
  model::ComparisonSettings settings;
  settings.metrics.assign(settings.metrics.size(), {0.02, 3e-6});
  const Comparison comparison = compare(side_of(1, {}, 1), side_of(1, {}, 1), settings);
  const model::MetricComparison& whole = mean_of(comparison, "whole", Metric::submit).metric;
  EXPECT_NEAR(whole.margin, 1e-6 / whole.base_seconds, 1e-9);
}

// Launch 0 of each document is a process of its own, so three documents have three launches.
TEST(Means, LaunchesOfSeveralDocumentsAreApart) {
  std::vector<Document> documents;
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    Side side = side_of(seed, {}, 1, 1);
    documents.push_back({std::to_string(seed), {}, std::move(side.cells)});
  }
  const Side merged = merge("folder", std::move(documents));
  const model::MetricComparison& whole =
      mean_of(compare(merged, side_of(9, {}, 1), {}), "whole", Metric::submit).metric;
  EXPECT_EQ(whole.base_launches, 3);
  EXPECT_TRUE(whole.p);
  EXPECT_GT(*whole.spread, 0.002) << "taken for one launch, they would agree exactly";
}

void slow_down(Side& side, std::int64_t launch, double factor, const std::string& ending = "") {
  for (DocumentCell& cell : side.cells) {
    for (LaunchTimes& each : cell.launches) {
      if (each.index != launch || !cell.id.ends_with(ending)) continue;
      each[Metric::latency] *= factor;
      each[Metric::submit] *= factor;
    }
  }
}

TEST(OddLaunches, AreNamedWithTheirSideAndMetric) {
  Side now = side_of(2, {}, 1);
  slow_down(now, 2, 1.5);
  const Comparison comparison = compare(side_of(1, {}, 1), now, {});
  ASSERT_EQ(comparison.odd_launches.size(), 2u);
  const model::OddLaunch& odd = comparison.odd_launches.front();
  EXPECT_TRUE(odd.in_new);
  EXPECT_EQ(odd.launch, 2);
  EXPECT_EQ(odd.metric, Metric::latency);
  EXPECT_EQ(odd.cells, 18);
  EXPECT_NEAR(odd.ratio, 1.5, 1e-9);
  EXPECT_LT(odd.p, 0.01);
  EXPECT_EQ(comparison.odd_launches.back().metric, Metric::submit);
  const Comparison exchanged = compare(now, side_of(1, {}, 1), {});
  ASSERT_EQ(exchanged.odd_launches.size(), 2u);
  EXPECT_FALSE(exchanged.odd_launches.front().in_new);
}

TEST(OddLaunches, AreNotThoseWithinTheMarginOrOfFewCells) {
  Side slightly = side_of(2, {0.0001, 0.0001}, 1);
  slow_down(slightly, 2, 1.015);
  EXPECT_TRUE(compare(side_of(1, {}, 1), slightly, {}).odd_launches.empty());
  Side few = side_of(2, {}, 1);
  slow_down(few, 2, 3, "b1/w3/whole");
  EXPECT_TRUE(compare(side_of(1, {}, 1), few, {}).odd_launches.empty());
}

// 5 % of a submit time of 1.6 us is less than the clock's step of 200 ns.
TEST(OddLaunches, AreNotThoseWithinAClocksStep) {
  const auto short_side = [](std::uint32_t seed) {
    Side side = side_of(seed, {0.0001, 0.0001}, 1);
    for (DocumentCell& cell : side.cells) {
      for (LaunchTimes& launch : cell.launches) launch[Metric::submit] *= 0.08;
    }
    return side;
  };
  Side now = short_side(2);
  slow_down(now, 2, 1.05);
  const std::vector<model::OddLaunch> odd = compare(short_side(1), now, {}).odd_launches;
  ASSERT_EQ(odd.size(), 1u);
  EXPECT_EQ(odd.front().metric, Metric::latency);
}

// Each cell of the 100 sweeps of one launch lies at its own mean, so it shows no spread.
TEST(OddLaunches, CellsOfOneLaunchSayNothingOfTheSpread) {
  Side base = side_of(1, {}, 1);
  Side now = side_of(3, {0.001, 0.05}, 1);
  slow_down(now, 2, 1.1);
  for (int i = 1; i <= 100; ++i) {
    for (Side* side : {&base, &now}) {
      DocumentCell single = side->cells[0];
      single.id.insert(3, std::to_string(i));
      single.launches.resize(1);
      single.launches[0].document = i;
      side->cells.push_back(single);
    }
  }
  for (const model::OddLaunch& odd : compare(base, now, {}).odd_launches)
    EXPECT_NE(odd.metric, Metric::submit) << "only latency agrees but for that launch";
}

TEST(OddLaunches, ThatMeasuredFewCellsAreNotHeldAgainstTheOthers) {
  Side now = side_of(2, {}, 1);
  slow_down(now, 2, 3);
  for (std::size_t i = 1; i < now.cells.size(); ++i)
    std::erase_if(now.cells[i].launches, [](const LaunchTimes& launch) { return launch.index == 2; });
  EXPECT_TRUE(compare(side_of(1, {}, 1), now, {}).odd_launches.empty());
}

TEST(Steadiness, LaunchesThatSpreadMoreThanBeforeAreSaidAndDecideNothing) {
  model::ComparisonSettings settings;
  Side now = side_of(2, {}, 1, 8);
  // Alternating factors are no two states.
  const std::array factors = {0.6, 0.75, 0.85, 1.0, 1.1, 1.25, 1.45, 1.6};
  for (std::size_t i = 0; i < factors.size(); ++i)
    slow_down(now, static_cast<std::int64_t>(i), factors.at(i), "whole");
  const Comparison comparison = compare(side_of(1, {}, 1, 8), now, settings);
  EXPECT_TRUE(mean_of(comparison, "whole", Metric::submit).less_steady);
  EXPECT_FALSE(mean_of(comparison, "eager", Metric::submit).less_steady);
  EXPECT_EQ(comparison.counts.means_less_steady, 2) << "latency and submit";
  EXPECT_NE(comparison.headline.find("; 2 means are less steady"), std::string::npos) << comparison.headline;
  EXPECT_EQ(comparison.counts.slower + comparison.counts.means_slower, 0) << "too much spread to tell";
  EXPECT_TRUE(passed(comparison));
  EXPECT_EQ(compare(now, side_of(1, {}, 1, 8), settings).counts.means_less_steady, 0) << "NEW is steadier";
}

TEST(Steadiness, IsNotJudgedBelowEightLaunches) {
  Side now = side_of(2, {}, 1, 7);
  for (const std::int64_t launch : {1, 3, 5}) slow_down(now, launch, 1.0 + 0.2 * static_cast<double>(launch));
  const Comparison comparison = compare(side_of(1, {}, 1, 7), now, {});
  EXPECT_EQ(comparison.counts.means_less_steady, 0);
  EXPECT_FALSE(mean_of(comparison, "whole", Metric::submit).spread_p);
}

// An F test calls this less steady in most such comparisons.
TEST(Steadiness, SlowLaunchesOnBothSidesAreNoMoreUnsteadyOnOne) {
  Side base = side_of(1, {}, 1, 10);
  Side now = side_of(2, {}, 1, 10);
  slow_down(base, 4, 1.3);
  for (const std::int64_t launch : {2, 5, 7}) slow_down(now, launch, 1.3);
  EXPECT_EQ(compare(base, now, {}).counts.means_less_steady, 0);
  EXPECT_EQ(compare(side_of(1, {}, 1, 10), now, {}).counts.means_less_steady, 0);
}

TEST(Steadiness, LaunchesWithinTheMarginAreSteadyHoweverWellOthersAgree) {
  const Comparison comparison = compare(side_of(1, {0, 0}, 1, 8), side_of(2, {0.005, 0.005}, 1, 8), {});
  const MeanComparison& whole = mean_of(comparison, "whole", Metric::submit);
  EXPECT_LT(*whole.base_spread, 0.0011);
  EXPECT_GT(*whole.new_spread, 0.003);
  EXPECT_FALSE(whole.less_steady);
}

TEST(TwoStates, OfOneSideAreAsked) {
  Side now = side_of(2, {}, 1);
  for (const std::int64_t launch : {1, 3}) slow_down(now, launch, 1.05);
  const Comparison comparison = compare(side_of(1, {}, 1), now, {});
  ASSERT_EQ(comparison.two_states.size(), 1u);
  const model::TwoStates& states = comparison.two_states[0];
  EXPECT_TRUE(states.in_new);
  EXPECT_EQ(states.metric, Metric::latency);
  EXPECT_EQ(states.slower, 2);
  EXPECT_EQ(states.launches, 5);
  EXPECT_NEAR(states.ratio, 1.05, 0.001);
  EXPECT_LT(states.p, 0.01);
  EXPECT_THAT(
      comparison.headline,
      testing::EndsWith("2 of 5 launches of NEW are 5 % slower than its others in latency: two states?"));
  EXPECT_TRUE(compare(side_of(1, {}, 1), side_of(2, {0.03, 0.03}, 1), {}).two_states.empty());
}

TEST(TwoStates, AreNoQuestionBelowTheMarginNorOfOneLaunch) {
  Side close = side_of(2, {}, 1);
  for (const std::int64_t launch : {1, 3}) slow_down(close, launch, 1.015);
  EXPECT_TRUE(compare(side_of(1, {}, 1), close, {}).two_states.empty());
  Side odd = side_of(2, {}, 1);
  slow_down(odd, 2, 1.5);
  EXPECT_TRUE(compare(side_of(1, {}, 1), odd, {}).two_states.empty());
}

// Each finding may be false in at most 1 % of comparisons. Spreads of 3 % exceed the margin.
TEST(Launches, AreRarelySaidToBeOddOrLessSteadyByChance) {
  int odd = 0;
  int two_states = 0;
  int less_steady = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const Comparison comparison =
        compare(side_of(seed, {0.03, 0.03}, 1, 8), side_of(seed + 1000, {0.03, 0.03}, 1, 8), {});
    two_states += comparison.two_states.empty() ? 0 : 1;
    odd += comparison.odd_launches.empty() ? 0 : 1;
    less_steady += comparison.counts.means_less_steady > 0 ? 1 : 0;
  }
  EXPECT_LE(odd, 4);
  EXPECT_LE(two_states, 4);
  EXPECT_LE(less_steady, 4);
}

}  // namespace
}  // namespace graphbench::judge
