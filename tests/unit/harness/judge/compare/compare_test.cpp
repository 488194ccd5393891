// Tests the pairing of cells, the coverage, the counts, and the line that summarises a comparison.
#include "harness/judge/compare/compare.hpp"

#include <gtest/gtest.h>

#include <string>

namespace graphbench::judge {
namespace {

using model::Comparison;
using model::Coverage;
using model::Metric;
using model::Verdict;

DocumentCell cell(const std::string& id, double latency, int launches = 5) {
  DocumentCell made;
  made.id = id;
  for (int i = 0; i < launches; ++i) {
    made.launches.push_back(
        {i, {{Metric::latency, latency * (1 + 0.001 * (i % 3))}, {Metric::submit, latency / 2}}});
  }
  return made;
}

DocumentCell not_ok(const std::string& id, CellStatus state) {
  return {id, state, "io: disk", {}};
}

Side side(std::vector<DocumentCell> cells) {
  Side made;
  made.source = "side";
  made.documents = 1;
  made.cells = std::move(cells);
  return made;
}

TEST(Compare, CellsArePairedByIdInWhateverOrder) {
  const Comparison comparison =
      compare(side({cell("a", 1e-4), cell("b", 2e-4)}), side({cell("b", 2e-4), cell("a", 1.1e-4)}), {});
  ASSERT_EQ(comparison.cells.size(), 2u);
  EXPECT_EQ(comparison.cells[0].id, "a");
  EXPECT_EQ(comparison.cells[0].metrics.front().verdict, Verdict::slower);
  EXPECT_EQ(comparison.cells[1].metrics.front().verdict, Verdict::same);
  EXPECT_EQ(comparison.verdict, Verdict::slower);
  EXPECT_EQ(comparison.tests, 4);
}

TEST(Compare, AMetricThatIsGoneIsARegressionAndANewOneIsListed) {
  DocumentCell without = cell("a", 1e-4);
  for (LaunchTimes& launch : without.launches) launch[model::Metric::submit] = 0;
  const Comparison lost = compare(side({cell("a", 1e-4)}), side({without}), {});
  ASSERT_EQ(lost.cells.front().metrics.size(), 1u);
  EXPECT_EQ(lost.cells.front().metrics.front().metric, Metric::latency);
  EXPECT_EQ(lost.cells.front().lost, std::vector{Metric::submit});
  EXPECT_TRUE(lost.cells.front().regression);
  EXPECT_EQ(lost.counts.coverage_regressions, 1);
  EXPECT_FALSE(passed(lost));
  EXPECT_EQ(lost.headline, "lost: 1 metric of 1 cell");
  const Comparison gained = compare(side({without}), side({cell("a", 1e-4)}), {});
  EXPECT_EQ(gained.cells.front().gained, std::vector{Metric::submit});
  EXPECT_FALSE(gained.cells.front().regression);
  EXPECT_EQ(gained.counts.metrics_gained, 1);
  EXPECT_TRUE(passed(gained));
}

TEST(Compare, AMetricThatSomeLaunchesHaveIsNotGone) {
  DocumentCell some = cell("a", 1e-4);
  some.launches.front()[model::Metric::submit] = 0;
  const Comparison comparison = compare(side({cell("a", 1e-4)}), side({some}), {});
  EXPECT_TRUE(comparison.cells.front().lost.empty());
  EXPECT_EQ(comparison.cells.front().metrics.back().new_launches, 4);
}

TEST(Compare, NoCommonMetricIsSaidToBeTheReason) {
  DocumentCell other = cell("a", 1e-4);
  for (LaunchTimes& launch : other.launches) launch = {launch.index, {{Metric::device, 1e-4}}};
  const Comparison comparison = compare(side({cell("a", 1e-4)}), side({other}), {});
  EXPECT_EQ(comparison.headline, "lost: 2 metrics of 1 cell");
  EXPECT_EQ(comparison.counts.metrics_gained, 1);
}

TEST(Compare, AnInterleavedRunWithoutACommonLaunchSaysSo) {
  Side base = side({cell("a", 1e-4)});
  base.facts.interleaved = "run";
  Side now = base;
  for (LaunchTimes& launch : now.cells.front().launches) launch.index += 5;
  const Comparison comparison = compare(base, now, {});
  ASSERT_EQ(comparison.cells.front().metrics.size(), 2u);
  const model::MetricComparison& latency = comparison.cells.front().metrics.front();
  EXPECT_EQ(latency.verdict, Verdict::inconclusive);
  EXPECT_EQ(latency.base_launches, 5);
  EXPECT_FALSE(latency.p);
  EXPECT_NE(latency.why.find("but share no launch index"), std::string::npos) << latency.why;
  EXPECT_EQ(comparison.counts.coverage_regressions, 0);
}

TEST(Compare, SetupIsTestedAndItsPartsAreListedWhereBothSidesCaptured) {
  DocumentCell captured = cell("a", 1e-4);
  for (LaunchTimes& launch : captured.launches) {
    launch[Metric::capture] = 1e-3;
    launch[Metric::instantiate] = 2e-3;
    launch[Metric::throughput] = 8e3;
    launch[Metric::setup] = 3e-3;
  }
  const model::CellComparison both = compare(side({captured}), side({captured}), {}).cells.front();
  EXPECT_EQ(both.metrics.back().metric, Metric::setup);
  EXPECT_DOUBLE_EQ(both.metrics.back().base_seconds, 3e-3);
  ASSERT_EQ(both.listed.size(), 3u);
  EXPECT_EQ(both.listed[0].metric, Metric::capture);
  EXPECT_EQ(both.listed[1].metric, Metric::instantiate);
  EXPECT_EQ(both.listed[2].metric, Metric::throughput);
  EXPECT_DOUBLE_EQ(both.listed[2].now.value(), 8e3);
  const model::CellComparison lost = compare(side({captured}), side({cell("a", 1e-4)}), {}).cells.front();
  EXPECT_EQ(lost.metrics.size(), 2u);
  EXPECT_EQ(lost.lost, std::vector{Metric::setup});
}

TEST(Compare, CountsThatDifferAreChangedAndFailOnlyStrictly) {
  DocumentCell before = cell("a", 1e-4);
  before.counts = {{"nodes", {24}}, {"captured_ops", {24}}, {"exec_bytes", {126'960}}};
  before.paths = "conv2d:own x1";
  DocumentCell after = before;
  after.counts = {{"nodes", {26}}, {"exec_bytes", {126'960}}};
  after.paths = "conv2d:cudnn x1";
  model::ComparisonSettings settings;
  const Comparison comparison = compare(side({before}), side({after}), settings);
  const std::vector<model::Change>& changed = comparison.cells.front().changed;
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0].name, "nodes");
  EXPECT_EQ(changed[0].base + changed[0].now, "2426");
  EXPECT_EQ(changed[1].name, "paths");
  EXPECT_EQ(comparison.counts.changed, 2);
  EXPECT_NE(comparison.headline.find("; changed: 2 counts of 1 cell"), std::string::npos);
  EXPECT_EQ(comparison.verdict, Verdict::same);
  EXPECT_TRUE(passed(comparison));
  settings.strict = true;
  EXPECT_FALSE(passed(compare(side({before}), side({after}), settings)));
}

TEST(Compare, ADifferenceOfExecsWithinTheCoarserResolutionIsNoChange) {
  using Resolution = std::optional<std::int64_t>;
  const auto changed = [](std::int64_t difference, Resolution base_resolution, Resolution resolution) {
    DocumentCell before = cell("a", 1e-4);
    before.counts = {{"exec_bytes", {126'960, base_resolution}}};
    DocumentCell after = before;
    after.counts = {{"exec_bytes", {126'960 + difference, resolution}}};
    return compare(side({before}), side({after}), {}).counts.changed;
  };
  EXPECT_EQ(changed(6'300, 6'300, 6'200), 0);
  EXPECT_EQ(changed(-6'300, 6'200, 6'300), 0);
  EXPECT_EQ(changed(2 * 6'300, 6'300, 6'200), 1);
  EXPECT_EQ(changed(-2 * 6'300, 6'200, 6'300), 1);
  EXPECT_EQ(changed(100'000, 6'300, std::nullopt), 0) << "an older document does not say";
  EXPECT_EQ(changed(100'000, std::nullopt, 6'300), 0);
}

TEST(Compare, CellsMeasuredAtDifferentThrottlingAreNamed) {
  DocumentCell hot = cell("a", 1e-4);
  hot.throttled = "power";
  Side base = side({cell("a", 1e-4)});
  Side now = side({hot});
  EXPECT_EQ(compare(base, now, {}).cells.front().new_throttle, "") << "neither side says it would tell";
  base.facts.clocks.launches = now.facts.clocks.launches = 5;
  const model::CellComparison said = compare(base, now, {}).cells.front();
  EXPECT_EQ(said.base_throttle, "");
  EXPECT_EQ(said.new_throttle, "power");
  const model::CellComparison alike = compare(now, now, {}).cells.front();
  EXPECT_EQ(alike.base_throttle, alike.new_throttle);
}

TEST(Compare, CommonCellsOfTwoPlansAreComparedAlone) {
  Side base = side({cell("a", 1e-4), cell("b", 1e-4)});
  Side now = side({cell("a", 1e-4), cell("c", 1e-4)});
  base.facts.fields["plan"] = "one";
  now.facts.fields["plan"] = "two";
  model::ComparisonSettings settings;
  EXPECT_FALSE(compare(base, now, settings).comparable);
  settings.common = true;
  const Comparison comparison = compare(base, now, settings);
  EXPECT_TRUE(comparison.comparable);
  ASSERT_EQ(comparison.cells.size(), 1u);
  EXPECT_EQ(comparison.cells.front().id, "a");
  EXPECT_TRUE(passed(comparison));
}

TEST(Compare, NothingIsDecidedWhereEveryVerdictIsInconclusive) {
  EXPECT_TRUE(decided(compare(side({cell("a", 1e-4)}), side({cell("a", 1e-4)}), {})));
  DocumentCell once = cell("a", 1e-4);
  once.launches.resize(1);
  EXPECT_FALSE(decided(compare(side({once}), side({once}), {})));
}

TEST(Compare, LostCellsAreRegressionsOfCoverage) {
  const Comparison comparison = compare(
      side({cell("gone", 1), cell("failing", 1), cell("skipped", 1), not_ok("back", CellStatus::failed),
            not_ok("never", CellStatus::failed), not_ok("dropped", CellStatus::skipped)}),
      side({not_ok("failing", CellStatus::failed), not_ok("skipped", CellStatus::skipped), cell("back", 1),
            not_ok("never", CellStatus::skipped), cell("added", 1)}),
      {});
  const Coverage expected[] = {Coverage::base_only, Coverage::failed_now, Coverage::skipped_now,
                               Coverage::recovered, Coverage::neither,    Coverage::base_only,
                               Coverage::new_only};
  const bool regressions[] = {true, true, true, false, false, false, false};
  ASSERT_EQ(comparison.cells.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(comparison.cells[i].coverage, expected[i]) << comparison.cells[i].id;
    EXPECT_EQ(comparison.cells[i].regression, regressions[i]) << comparison.cells[i].id;
  }
  EXPECT_EQ(comparison.counts.coverage_regressions, 3);
  EXPECT_FALSE(passed(comparison));
  EXPECT_EQ(comparison.headline, "lost: 3 cells");
}

TEST(Compare, AnotherDeviceIsNotJudged) {
  Side base = side({cell("a", 1)});
  Side now = side({cell("a", 2)});
  base.facts.fields["device.name"] = "H200";
  now.facts.fields["device.name"] = "H100";
  const Comparison comparison = compare(base, now, {});
  EXPECT_FALSE(comparison.comparable);
  EXPECT_TRUE(comparison.cells.empty());
  EXPECT_FALSE(passed(comparison));
  model::ComparisonSettings settings;
  settings.allow = {"device.name"};
  EXPECT_EQ(compare(base, now, settings).verdict, Verdict::slower);
}

TEST(Compare, LaunchesOfOneInterleavedRunArePairedByIndex) {
  Side base = side({cell("a", 1e-4)});
  Side now = side({cell("a", 1e-4)});
  std::swap(now.cells.front().launches.front(), now.cells.front().launches.back());
  now.cells.front().launches.pop_back();
  EXPECT_FALSE(compare(base, now, {}).cells.front().metrics.front().paired);
  base.facts.interleaved = now.facts.interleaved = "run";
  const model::MetricComparison paired = compare(base, now, {}).cells.front().metrics.front();
  EXPECT_TRUE(paired.paired);
  EXPECT_EQ(paired.base_launches, 4);
  EXPECT_EQ(paired.new_launches, 4);
  EXPECT_DOUBLE_EQ(paired.ratio, 1) << "each launch stands against its own partner";
  now.facts.interleaved = "another run";
  EXPECT_FALSE(compare(base, now, {}).cells.front().metrics.front().paired);
}

// Two equal sweeps in a row on a busy machine read "slower".
TEST(Compare, SidesThatWereDisturbedDifferentlyAreSaidFirst) {
  Side base = side({cell("a", 1e-4)});
  Side now = side({cell("a", 1.1e-4)});
  for (Side* each : {&base, &now}) each->facts.fields = {{"cores", "2"}, {"device.kind", "cuda"}};
  const auto first_words = [&] { return compare(base, now, {}).headline; };
  const auto begins = [&](const std::string& words) {
    EXPECT_TRUE(first_words().starts_with(words)) << first_words();
  };
  begins("slower: 1 of 1 cells");
  base.facts.loads = {0.3};
  now.facts.loads = {1.4};
  begins("slower: 1 of 1 cells");  // BASE's own sweep may be NEW's load
  now.facts.loads = {6.1};
  begins(
      "slower, but NEW ran beside other work (load 6.1 against 0.3): compare with `graphbench ab`; 1 of 1 "
      "cells, up to ");
  base.facts.fields["device.kind"] = now.facts.fields["device.kind"] = "host";
  now.facts.loads = {2.4};
  begins("slower: 1 of 1 cells");  // all cores are BASE's own
  base.facts.loads = {6.1};
  begins("slower, but BASE ran beside other work (load 6.1 against 2.4)");
  base.facts.interleaved = now.facts.interleaved = "one run";
  begins("slower: 1 of 1 cells");  // measured in turn
}

TEST(Compare, SharedCoresClocksAndThrottlingAreDisturbancesToo) {
  Side base = side({cell("a", 1e-4)});
  Side now = side({cell("a", 1e-4)});
  base.facts.clocks.pinned = now.facts.clocks.pinned = 10;
  base.facts.clocks.shared = 1;
  now.facts.clocks.shared = 3;
  EXPECT_TRUE(compare(base, now, {}).headline.starts_with("passed: nothing"));
  now.facts.clocks.shared = 8;
  base.facts.clocks.launches = now.facts.clocks.launches = 10;
  base.facts.clocks.sm_clocks_hz = {1.7e9};
  now.facts.clocks.sm_clocks_hz = {1.2e9};
  now.facts.clocks.throttled = {{"hw_thermal", 4}};
  const std::string headline = compare(base, now, {}).headline;
  EXPECT_TRUE(headline.starts_with(
      "passed, but NEW shared its core in 8 of 10 cell launches (against 1 of 10), SM clocks differ (1700 "
      "MHz "
      "(median) to 1200 MHz (median)), throttling differs (never to hw_thermal in 4 of 10 cell launches): "
      "compare with `graphbench ab`; nothing is slower"))
      << headline;
}

TEST(Compare, RepeatedIndicesAreNotPaired) {
  Side base = side({cell("a", 1e-4)});
  base.facts.interleaved = "run";
  Side now = base;
  for (LaunchTimes& launch : now.cells.front().launches) launch.index = 0;
  EXPECT_FALSE(compare(base, now, {}).cells.front().metrics.front().paired);
}

TEST(Compare, StrictWantsNothingInconclusive) {
  const Side one = side({cell("a", 1e-4, 1)});
  model::ComparisonSettings settings;
  EXPECT_EQ(outcome_of(compare(one, one, settings)), model::Outcome::blind) << "no latency is decided";
  settings.strict = true;
  EXPECT_FALSE(passed(compare(one, one, settings)));
  const Side five = side({cell("a", 1e-4)});
  EXPECT_TRUE(passed(compare(five, five, settings)));
}

TEST(Compare, CellsThatDifferByTheWarmupCountAreOneFamily) {
  const Side sides =
      side({cell("mlp/base/bf16/forward/b1/w0/whole", 1e-4), cell("mlp/base/bf16/forward/b1/w10/whole", 1e-4),
            cell("mlp/base/bf16/forward/b2/w0/whole", 1e-4), cell("another tool's", 1e-4)});
  const Comparison comparison = compare(sides, sides, {});
  EXPECT_EQ(comparison.cells[0].family, "mlp/base/bf16/forward/b1/whole");
  EXPECT_EQ(comparison.cells[0].family, comparison.cells[1].family);
  EXPECT_EQ(comparison.cells[3].family, "another tool's");
  EXPECT_EQ(comparison.families, 6) << "three of latency, three of submit";
  EXPECT_EQ(comparison.tests, 8);
  // All cells have the same launches' luck, so the tasks w0 and w10 know no more than one.
  EXPECT_NEAR(*comparison.cells[0].metrics.front().freedom, 8, 1e-6);
}

TEST(Compare, ManyCellsKeepTheirMetrics) {
  std::vector<DocumentCell> before;
  std::vector<DocumentCell> after;
  for (int i = 0; i < 12'000; ++i) {
    before.push_back(cell(std::to_string(i), 1e-4 + i * 1e-9));
    after.push_back(cell(std::to_string(i), (1e-4 + i * 1e-9) * (i == 11'000 ? 1.2 : 1)));
  }
  const Comparison comparison = compare(side(before), side(after), {});
  EXPECT_EQ(comparison.counts.slower, 2);
  EXPECT_EQ(comparison.cells[11'000].metrics.front().verdict, Verdict::slower);
  for (std::size_t i = 0; i < before.size(); ++i) {
    ASSERT_EQ(comparison.cells[i].metrics.size(), 2u);
    ASSERT_NEAR(comparison.cells[i].metrics.front().base_seconds,
                before[i].launches[1][model::Metric::latency], 1e-6);
  }
}

}  // namespace
}  // namespace graphbench::judge
