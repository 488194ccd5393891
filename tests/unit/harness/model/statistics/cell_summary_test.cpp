// Tests how launches become a cell's summary: medians, intervals, speedup and break-even.
#include "harness/model/statistics/cell_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/model/statistics/summary.hpp"

namespace graphbench::model {
namespace {

CellResult cell(const std::string& mode, const std::vector<double>& latency_medians) {
  CellResult result{};
  result.cell = {"mlp", "base", "bf16", "forward", 8, 3, mode};
  result.status = CellStatus::ok;
  for (const double median : latency_medians) {
    Launch launch{};
    launch.setup.capture_seconds = 3e-3;
    launch.setup.instantiate_seconds = 1e-3;
    launch.setup.upload_seconds = 1e-3;
    launch.latency_seconds = summarize({median});
    launch.index = static_cast<std::int64_t>(result.launches.size());
    result.launches.push_back(launch);
  }
  return result;
}

Setup setup_of(double cost) {
  Setup setup{};
  setup.warmup_seconds = cost;
  return setup;
}

CellResult with_costs(CellResult made, const std::vector<double>& costs) {
  for (std::size_t i = 0; i < costs.size(); ++i) {
    made.launches[i].setup = setup_of(costs[i]);
    made.launches[i].setups.assign(2, made.launches[i].setup);
  }
  return made;
}

CellResult with_throughputs(CellResult made, const std::vector<double>& steps_per_second) {
  for (std::size_t i = 0; i < steps_per_second.size(); ++i)
    made.launches[i].throughput_steps_per_second = steps_per_second[i];
  return made;
}

std::vector<CellResult> summarized(std::vector<CellResult> cells) {
  summarize_cells(cells);
  return cells;
}

TEST(CellSummary, IsTheMedianOfTheLaunchMedians) {
  const auto cells = summarized({cell("eager", {3e-4, 1e-4, 2e-4})});
  EXPECT_DOUBLE_EQ(cells[0].summary.latency_seconds->p50, 2e-4);
  EXPECT_FALSE(cells[0].summary.submit_seconds.has_value());
}

TEST(CellSummary, AStepOfWhichNoGraphWasTakenHasNoGain) {
  std::vector<CellResult> cells = {cell("eager", {2e-4}), cell("torch.cudagraphs", {1e-4})};
  StepRecords& records = cells[1].records.emplace();
  records.kernels = 4;
  records.graphed_kernels = 0;
  cells = summarized(cells);
  EXPECT_EQ(cells[1].summary.graphed, 0);
  EXPECT_EQ(cells[1].summary.no_breakeven, NoBreakeven::no_graph);
  EXPECT_FALSE(cells[1].summary.speedup_over_eager);
  EXPECT_TRUE(cells[1].summary.latency_seconds);
  cells[1].records->graphed_kernels = 1;
  cells = summarized(cells);
  EXPECT_EQ(cells[1].summary.graphed, 0.25);
  EXPECT_DOUBLE_EQ(*cells[1].summary.speedup_over_eager, 2);
}

TEST(CellSummary, HasAnIntervalFromThreeLaunchesOn) {
  auto cells = summarized({cell("eager", {1e-4, 1.1e-4})});
  EXPECT_FALSE(cells[0].summary.latency_seconds->ci95_low);
  cells = summarized({cell("eager", {1e-4, 1.1e-4, 1.21e-4})});
  // Logarithms are 0.0953 apart: sd 0.0953, standard error 0.0550, t(0.975, 2) = 4.303.
  EXPECT_NEAR(*cells[0].summary.latency_seconds->ci95_low,
              1.1e-4 * std::exp(-4.3027 * 0.0953102 / std::sqrt(3)), 1e-8);
  EXPECT_NEAR(*cells[0].summary.latency_seconds->ci95_high,
              1.1e-4 * std::exp(4.3027 * 0.0953102 / std::sqrt(3)), 1e-8);
}

TEST(CellSummary, SpeedupAndBreakEvenComeFromTheEagerNeighbour) {
  auto cells = summarized({cell("eager", {4e-4}), cell("whole", {1e-4}), cell("piecewise", {5e-4})});
  EXPECT_DOUBLE_EQ(*cells[1].summary.speedup_over_eager, 4);
  EXPECT_EQ(*cells[1].summary.breakeven_steps, 17);  // 5 ms / 0.3 ms, rounded up
  EXPECT_DOUBLE_EQ(*cells[2].summary.speedup_over_eager, 0.8);
  EXPECT_FALSE(cells[2].summary.breakeven_steps);
  EXPECT_EQ(cells[2].summary.no_breakeven, NoBreakeven::never);
  EXPECT_DOUBLE_EQ(*cells[0].summary.speedup_over_eager, 1);
  EXPECT_FALSE(cells[0].summary.breakeven_steps);
  EXPECT_FALSE(cells[0].summary.no_breakeven) << "eager has nothing to pay back";
}

TEST(CellSummary, BreakEvenPaysTheWarmupsBackToo) {
  auto cells = summarized({cell("eager", {4e-4}), with_costs(cell("whole", {1e-4}), {6e-3})});
  EXPECT_EQ(*cells[1].summary.breakeven_steps, 20);  // 6 ms / 0.3 ms
  EXPECT_EQ(*cells[1].summary.setup_cost_seconds, 6e-3);
  EXPECT_FALSE(cells[0].summary.setup_cost_seconds);
}

TEST(CellSummary, BreakEvenTakesTheSetupsOfLaterPlacements) {
  std::vector<CellResult> cells{cell("eager", {4e-4}), cell("whole", {1e-4})};
  Launch& launch = cells[1].launches[0];
  launch.setups = {launch.setup, setup_of(6e-4), setup_of(6e-4)};
  summarize_cells(cells);
  EXPECT_EQ(*cells[1].summary.breakeven_steps, 2);  // 0.6 ms / 0.3 ms
  EXPECT_NEAR(*cells[1].summary.setup_once_seconds, 5e-3 - 6e-4, 1e-12);
  EXPECT_FALSE(cells[0].summary.setup_once_seconds);
}

TEST(CellSummary, WhatAProcessPaysOnceIsOfAllBatchesOfATask) {
  std::vector<CellResult> cells{cell("eager", {4e-4}), cell("whole", {1e-4}), cell("whole", {1e-4})};
  cells[2].cell.batch = 16;
  for (CellResult& each : cells) {
    Launch& launch = each.launches[0];
    launch.setups = {launch.setup, setup_of(1e-3)};
  }
  cells[2].launches[0].setups[1].warmup_seconds = 5.5e-3;  // longer than its first setup
  summarize_cells(cells);
  EXPECT_NEAR(*cells[1].summary.setup_once_seconds, 4e-3 - 5e-4, 1e-12);
  EXPECT_EQ(cells[1].summary.setup_once_seconds, cells[2].summary.setup_once_seconds);
}

TEST(CellSummary, WhatAProcessNeedsToStartHasAnIntervalOverProcesses) {
  std::vector<CellResult> cells{cell("eager", {4e-4, 4e-4, 4e-4}), cell("whole", {1e-4, 1e-4, 1e-4})};
  for (CellResult& each : cells) {
    for (std::size_t i = 0; i < 3; ++i)
      each.launches[i].startup.emplace().capture_seconds = 0.02 + 0.001 * static_cast<double>(i);
  }
  summarize_cells(cells);
  EXPECT_DOUBLE_EQ(*cells[1].summary.startup_seconds, 0.021);
  EXPECT_NEAR(*cells[1].summary.startup_ci95_low, 0.0186, 1e-4);
  EXPECT_NEAR(*cells[1].summary.startup_ci95_high, 0.0236, 1e-4);
  EXPECT_FALSE(cells[0].summary.startup_seconds) << "no graph starts";
}

TEST(CellSummary, BreakEvenHasTheEndsOfItsCostAndOfItsSaving) {
  const auto whole = with_costs(cell("whole", {1.0e-4, 1.3e-4, 1.2e-4, 1.1e-4, 1.4e-4}),
                                {12e-4, 10e-4, 14e-4, 11e-4, 13e-4});
  auto cells = summarized({cell("eager", {2.4e-4, 2.0e-4, 2.2e-4, 2.3e-4, 2.1e-4}), whole});
  const CellSummary& summary = cells[1].summary;
  EXPECT_EQ(*summary.breakeven_steps, 12);      // 1.2 ms / (0.22 ms - 0.12 ms)
  EXPECT_EQ(*summary.breakeven_ci95_low, 6);    // 1.0 ms / (0.12 ms * (2.4 / 1.0 - 1)) = 5.95
  EXPECT_EQ(*summary.breakeven_ci95_high, 28);  // 1.4 ms / (0.12 ms * (2.0 / 1.4 - 1)) = 27.2
}

TEST(CellSummary, LaunchesOfOnePlacementHaveTheirIntervalFromLaterOnes) {
  auto eager = cell("eager", {2e-4, 2.02e-4, 1.98e-4, 2e-4});
  auto whole = with_costs(cell("whole", {1e-4, 1e-4, 1e-4, 1e-4}), {5, 1e-3, 1.1e-3, 0.9e-3});
  for (Launch& launch : whole.launches) launch.setups.pop_back();
  auto cells = summarized({eager, whole});
  EXPECT_NEAR(*cells[1].summary.breakeven_steps, 10, 1);
  EXPECT_GT(*cells[1].summary.breakeven_ci95_low, 6);
  EXPECT_LT(*cells[1].summary.breakeven_ci95_high, 16);
  EXPECT_FALSE(cells[1].summary.setup_once_seconds) << "a process has one setup";
  for (CellResult& each : cells) each.launches.pop_back();
  summarize_cells(cells);
  EXPECT_NEAR(*cells[1].summary.breakeven_steps, 11, 1);
  EXPECT_FALSE(cells[1].summary.breakeven_ci95_low) << "two launches say a cost";
}

TEST(CellSummary, GainsOfThroughputHaveTheIntervalOfTheirMedians) {
  const auto eager =
      with_throughputs(cell("eager", {1e-4, 1e-4, 1e-4, 1e-4, 1e-4}), {1000, 1010, 1020, 1030, 1040});
  const auto whole =
      with_throughputs(cell("whole", {9e-5, 9e-5, 9e-5, 9e-5, 9e-5}), {1570, 1530, 1490, 1550, 1510});
  auto cells = summarized({eager, whole});
  EXPECT_DOUBLE_EQ(*cells[0].summary.throughput_over_eager, 1);
  EXPECT_FALSE(cells[0].summary.throughput_ci95_low);
  const CellSummary& summary = cells[1].summary;
  EXPECT_DOUBLE_EQ(*summary.throughput_over_eager, 1.5);
  EXPECT_DOUBLE_EQ(*summary.throughput_ci95_low, 1490.0 / 1040);
  EXPECT_DOUBLE_EQ(*summary.throughput_ci95_high, 1570.0 / 1000);
}

TEST(CellSummary, RecordsOfTheEagerStepPredictWhatOneGraphGains) {
  auto eager = cell("eager", {4e-4});
  eager.records = StepRecords{.steps = 5,
                              .busy_seconds = 1e-4,
                              .operations = 40,
                              .kernels = 40,
                              .eager_kernels = 40,
                              .other_kernels = 0,
                              .differences = {},
                              .copies = {},
                              .eager_copies = {},
                              .other_copies = {},
                              .framework_kernels = {},
                              .graphed_kernels = {},
                              .graph_seconds = 1.25e-4};
  auto whole = cell("whole", {1e-4});
  whole.records = eager.records;
  auto cells = summarized({eager, whole});
  add_launch_bound("cuda", cells);
  EXPECT_DOUBLE_EQ(*cells[0].summary.launch_bound, 0.75);
  EXPECT_EQ(cells[0].summary.launch_bound_by, LaunchBoundBy::records);
  EXPECT_DOUBLE_EQ(*cells[0].summary.predicted_gain, 3.2);
  EXPECT_FALSE(cells[1].summary.predicted_gain);
  EXPECT_FALSE(cells[1].summary.launch_bound);
  cells[0].records->busy_seconds = 4.1e-4;  // records are of other steps than the samples
  add_launch_bound("cuda", cells);
  EXPECT_EQ(cells[0].summary.launch_bound, 0.0);
}

TEST(CellSummary, WithoutRecordsADeviceIsBusyForTheTimeOfWhole) {
  auto with_device = [](const char* mode, double latency, double device) {
    auto made = cell(mode, {latency});
    made.launches.front().device_seconds = made.launches.front().latency_seconds;
    made.launches.front().device_seconds->p50 = device;
    return made;
  };
  auto copied = with_device("whole", 1e-4, 9e-5);
  copied.cell.more_axes = {{"io", "copy_in"}};
  auto cells = summarized({with_device("eager", 4e-4, 3.9e-4), copied});
  add_launch_bound("cuda", cells);
  EXPECT_DOUBLE_EQ(*cells[0].summary.launch_bound, 0.775) << "the only one that refers to it";
  cells.push_back(with_device("whole", 1e-4, 8e-5));
  cells = summarized(cells);
  add_launch_bound("cuda", cells);
  EXPECT_DOUBLE_EQ(*cells[0].summary.launch_bound, 0.8) << "the one that differs in the mode alone";
  EXPECT_EQ(cells[0].summary.launch_bound_by, LaunchBoundBy::whole);
  EXPECT_FALSE(cells[1].summary.launch_bound);
  for (CellResult& each : cells) each.cell.preset = "own";
  add_launch_bound("host", cells);
  EXPECT_FALSE(cells[0].summary.launch_bound);
  EXPECT_FALSE(cells[0].summary.launch_bound_by);
}

CellResult with_submits(CellResult made, const std::vector<double>& submits) {
  for (std::size_t i = 0; i < submits.size(); ++i) made.launches[i].submit_seconds = summarize({submits[i]});
  return made;
}

CellResult in_parts(CellResult made, std::int64_t parts, std::int64_t captured) {
  made.counters.emplace();
  made.counters->pieces = parts;
  made.counters->capturable = captured;
  return made;
}

TEST(CellSummary, BreaksAreTheEagerPartsOrWhereOnePieceFollowsAnother) {
  const CellResult step = cell("piecewise", {});
  EXPECT_EQ(breaks_of(in_parts(step, 9, 5)), 4);
  EXPECT_EQ(breaks_of(in_parts(step, 6, 2)), 4) << "several calls between two pieces";
  EXPECT_EQ(breaks_of(in_parts(step, 5, 5)), 4) << "nothing runs in a break";
  EXPECT_EQ(breaks_of(in_parts(step, 1, 1)), 0);
  EXPECT_EQ(breaks_of(in_parts(step, 1, 0)), 0) << "no graph";
  EXPECT_EQ(breaks_of(step), 0);
}

TEST(CellSummary, ABreakCostsWhatPiecewiseTakesLongerThanWhole) {
  const auto whole = with_submits(in_parts(cell("whole", {1.0e-4, 1.0e-4, 1.0e-4, 1.0e-4, 1.0e-4}), 1, 1),
                                  {3e-6, 2e-6, 4e-6});
  auto pieces = in_parts(cell("piecewise", {1.4e-4, 1.3e-4, 1.5e-4, 1.2e-4, 1.6e-4}), 9, 5);
  auto cells = summarized({whole, with_submits(pieces, {3e-6, 5e-6, 4e-6})});
  const CellSummary& summary = cells[1].summary;
  EXPECT_NEAR(*summary.break_latency_seconds, 1e-5, 1e-10);  // 40 us of four breaks
  EXPECT_NEAR(*summary.break_latency_ci95_low, 0.5e-5, 1e-10);
  EXPECT_NEAR(*summary.break_latency_ci95_high, 1.5e-5, 1e-10);
  EXPECT_FALSE(summary.break_submit_seconds) << "noise may have said it";
  EXPECT_FALSE(cells[0].summary.break_latency_seconds);

  const auto no_cost = [&](const CellResult& base, const CellResult& of, const char* why) {
    auto made = summarized({base, of});
    EXPECT_FALSE(made[1].summary.break_latency_seconds) << why;
    EXPECT_FALSE(made[1].summary.break_latency_ci95_low) << why;
  };
  no_cost(whole, in_parts(pieces, 1, 1), "one piece");
  no_cost(in_parts(whole, 3, 3), pieces, "whole has breaks of its own");
  auto other = pieces;
  other.cell.batch = 9;
  no_cost(whole, other, "another batch");
  other = pieces;
  other.launches.resize(2);
  no_cost(whole, other, "two launches");
  other = whole;
  other.fallback = "eager";
  no_cost(other, pieces, "whole ran eagerly");
  other = in_parts(cell("whole", {1.7e-4, 1.7e-4, 1.7e-4, 1.7e-4, 1.7e-4}), 1, 1);
  no_cost(other, pieces, "whole takes longer");
  other = pieces;
  other.cell.more_axes = {{"torch-pieces", "compiled"}};
  EXPECT_TRUE(summarized({whole, other})[1].summary.break_latency_seconds) << "an axis of piecewise alone";
}

TEST(CellSummary, AGainOfThreeLaunchesHasStudentsInterval) {
  auto cells = summarized({cell("eager", {1.6e-4, 1.4e-4, 1.5e-4}), cell("whole", {1e-4, 1e-4, 1e-4})});
  const CellSummary& summary = cells[1].summary;
  EXPECT_NEAR(std::sqrt(*summary.speedup_ci95_low * *summary.speedup_ci95_high), 1.5, 1e-9);
  // Eager's logarithms have sd 0.06678, t(0.975, 2) = 4.303, and a median varies by at most pi / 2.
  EXPECT_NEAR(*summary.speedup_ci95_low, 1.5 * std::exp(-4.303 * 0.06678 * std::sqrt(1.5708 / 3)), 2e-3);
  EXPECT_FALSE(cells[0].summary.speedup_ci95_low) << "eager's over itself";
}

// Between the second and the third of ten, because P(at most 1 of 10) = 0.0107 and P(at most 2) = 0.0547.
TEST(CellSummary, AGainOfTenLaunchesHasAnIntervalByRanks) {
  std::vector<double> launches;
  for (int i = 0; i < 10; ++i) launches.push_back(1e-4 * (10 + (7 * i) % 10));
  auto cells = summarized({cell("eager", launches), cell("whole", std::vector<double>(10, 1e-4))});
  const CellSummary& summary = cells[1].summary;
  EXPECT_DOUBLE_EQ(*summary.speedup_over_eager, 14.5);
  const double share = (0.045 - 11.0 / 1024) / (45.0 / 1024);
  const double inward = 8 * share / (2 + 6 * share);
  EXPECT_NEAR(*summary.speedup_ci95_low, 11 + inward, 1e-9);
  EXPECT_NEAR(*summary.speedup_ci95_high, 18 - inward, 1e-9);
}

TEST(CellSummary, LaunchesThatAgreeToTheLastDigitAreNotCertain) {
  const std::vector<double> same(5, 1e-4);
  auto cells = summarized({cell("eager", std::vector<double>(5, 1.0005e-4)), cell("whole", same)});
  EXPECT_LT(*cells[1].summary.speedup_ci95_low, 1);
}

TEST(CellSummary, AGainThatIsNotToldFromOneHasNoBreakEven) {
  auto cells =
      summarized({cell("eager", {1.0e-4, 1.1e-4, 1.2e-4}), cell("whole", {1.05e-4, 1.0e-4, 1.1e-4})});
  EXPECT_GT(*cells[1].summary.speedup_over_eager, 1);
  EXPECT_TRUE(may_be_no_gain(cells[1].summary));
  EXPECT_FALSE(cells[1].summary.breakeven_steps);
  EXPECT_EQ(cells[1].summary.no_breakeven, NoBreakeven::not_told_apart);
  cells = summarized({cell("eager", {1.0e-4, 1.0e-4, 1.0e-4}), cell("whole", {1.1e-4, 1.1e-4, 1.1e-4})});
  EXPECT_EQ(cells[1].summary.no_breakeven, NoBreakeven::never);
  cells = summarized({cell("eager", {1.0e-4, 1.1e-4}), cell("whole", {1.05e-4, 1.0e-4})});
  EXPECT_FALSE(cells[1].summary.speedup_ci95_low) << "two launches";
  EXPECT_TRUE(cells[1].summary.breakeven_steps);
}

TEST(CellSummary, SpreadsAreReportedSideBySide) {
  std::vector<CellResult> cells{cell("eager", {1e-4, 1.1e-4})};
  for (Launch& launch : cells[0].launches) {
    launch.latency_samples = {1e9, 1, std::exp(1.349), 1, std::exp(1.349)};  // 1e9 belongs to the ramp
    launch.latency_seconds->count = 4;
  }
  summarize_cells(cells);
  EXPECT_NEAR(*cells[0].summary.latency_seconds->between_launches, std::log(1.1) / std::sqrt(2), 1e-9);
  EXPECT_NEAR(*cells[0].summary.latency_seconds->within_launch, 1.0, 1e-9);
}

TEST(CellSummary, SteadyAfterCountsTheWarmups) {
  std::vector<CellResult> cells{cell("eager", {1e-4, 1e-4, 1e-4})};
  for (Launch& launch : cells[0].launches) {
    launch.latency_samples.assign(60, 1e-4);
    launch.latency_samples[0] = launch.latency_samples[1] = 5e-4;
  }
  cells[0].launches[0].latency_samples.assign(60, 1e-4);
  summarize_cells(cells);
  EXPECT_EQ(cells[0].summary.steady_after, 3 + 2);  // three warmups, and the median launch's two steps
}

TEST(CellSummary, OtherWarmupsAreNoNeighbours) {
  std::vector<CellResult> cells{cell("eager", {4e-4}), cell("whole", {1e-4})};
  cells[0].cell.warmup = 0;
  summarize_cells(cells);
  EXPECT_FALSE(cells[1].summary.speedup_over_eager);
  EXPECT_EQ(cells[1].summary.no_breakeven, NoBreakeven::eager_not_swept);
}

TEST(CellSummary, FailedCellsHaveNone) {
  std::vector<CellResult> cells{cell("eager", {4e-4}), cell("whole", {1e-4})};
  cells[0].status = CellStatus::failed;
  summarize_cells(cells);
  EXPECT_FALSE(cells[0].summary.latency_seconds);
  EXPECT_FALSE(cells[1].summary.speedup_over_eager);
}

}  // namespace
}  // namespace graphbench::model
