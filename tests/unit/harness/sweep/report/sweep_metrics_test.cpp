// Tests the text of metrics after cells appear, change and disappear, and with a baseline's comparison.
#include "harness/sweep/report/sweep_metrics.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "harness/sweep/report/series.hpp"
#include "tests/golden/sample_results.hpp"
#include "tests/support/sample_plan.hpp"

namespace graphbench::sweep {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

model::CellResult measured(const std::string& mode = "whole", std::int64_t batch = 1) {
  for (const model::CellResult& cell : samples::small_result().cells) {
    if (cell.cell.mode == mode && cell.cell.batch == batch && cell.cell.warmup == 0) return cell;
  }
  throw std::logic_error("the sample lacks such a cell");
}

const std::string labels =
    R"({workload="mlp",preset="base",dtype="bf16",pass="forward",batch="1",warmup="0",mode="whole",)"
    R"(device="cuda:0")";

class SweepMetricsTest : public testing::Test {
 protected:
  std::string text() const { return *metrics.text(); }
  SweepMetrics metrics{"1.2.3"};
  model::CellResult cell = measured();
};

TEST_F(SweepMetricsTest, CountersStartAtZeroAndNoCellHasASeries) {
  EXPECT_THAT(text(), HasSubstr("graphbench_build_info{version=\"1.2.3\"} 1\n"));
  for (const char* status : {"ok", "skipped", "failed"}) {
    EXPECT_THAT(text(), HasSubstr(std::string("graphbench_cells_total{status=\"") + status + "\"} 0\n"));
  }
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_latency_seconds")));
}

TEST_F(SweepMetricsTest, NotesOfADeviceTakeThePlaceOfEarlierOnes) {
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_note_info")));
  metrics.set_notes("cuda:0", {{"trust_low", ""}, {"slow_path", ""}, {"slow_path", ""}});
  metrics.set_notes("cuda:1", {{"trust_low", ""}});
  EXPECT_THAT(text(), HasSubstr("graphbench_note_info{code=\"slow_path\",device=\"cuda:0\"} 1\n"));
  metrics.set_notes("cuda:0", {{"trust_high", ""}});
  EXPECT_THAT(text(), HasSubstr("graphbench_note_info{code=\"trust_high\",device=\"cuda:0\"} 1\n"));
  EXPECT_THAT(text(), Not(HasSubstr("slow_path")));
  EXPECT_THAT(text(), Not(HasSubstr("{code=\"trust_low\",device=\"cuda:0\"}")));
  EXPECT_THAT(text(), HasSubstr("graphbench_note_info{code=\"trust_low\",device=\"cuda:1\"} 1\n"));
}

TEST_F(SweepMetricsTest, ACellsNumbersAreItsMediansOverLaunches) {
  cell.launches.push_back(cell.launches.front());
  cell.launches.front().setup.capture_seconds = 0.25;
  cell.launches.back().setup.capture_seconds = 0.75;
  cell.launches.front().latency_seconds->p90 = 1e-3;
  cell.launches.back().latency_seconds->p90 = 3e-3;
  cell.launches.back().latency_seconds->p99.reset();
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), HasSubstr("graphbench_capture_seconds" + labels + "} 0.5\n"));
  EXPECT_THAT(text(), HasSubstr("graphbench_latency_seconds" + labels + ",quantile=\"0.9\"} 0.002\n"));
  EXPECT_THAT(text(), HasSubstr("graphbench_latency_seconds" + labels + ",quantile=\"0.99\"}"))
      << "one launch knows it";
  EXPECT_THAT(text(), HasSubstr("graphbench_latency_seconds_count" + labels + "} 918\n"));
  cell.launches.front().latency_seconds->p99.reset();
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_latency_seconds" + labels + ",quantile=\"0.99\"}")))
      << "no launch knows it";
}

TEST_F(SweepMetricsTest, SetupsAreThoseOfLaterPlacementsAndLaterLaunches) {
  cell.launches.push_back(cell.launches.front());
  model::Launch& first = cell.launches.front();
  model::Launch& second = cell.launches.back();
  second.index = 1;
  first.setup.capture_seconds = 8;
  second.setup.capture_seconds = 0.75;
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), HasSubstr("graphbench_capture_seconds" + labels + "} 0.75\n"));
  first.setups.assign(3, first.setup);
  first.setups[1].capture_seconds = first.setups[2].capture_seconds = 0.25;
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), HasSubstr("graphbench_capture_seconds" + labels + "} 0.5\n"));
}

// In torch's own modes most of the setup is compiling and recording.
TEST_F(SweepMetricsTest, TheSetupIsAllThatMakingGraphsCosts) {
  model::Setup& setup = cell.launches.front().setup;
  setup = {};
  setup.capture_seconds = 1;
  setup.break_seconds = 2;
  setup.instantiate_seconds = 4;
  setup.upload_seconds = 8;
  setup.opening.build_seconds = 16;  // eager needs it too
  setup.opening.compile_seconds = 32;
  setup.opening.record_seconds = 64;
  cell.launches.front().setups.clear();
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), HasSubstr("graphbench_setup_seconds" + labels + "} 111\n"));
}

TEST_F(SweepMetricsTest, ACellWithoutABreakEvenSaysWhy) {
  cell.summary.breakeven_steps.reset();
  cell.summary.no_breakeven = model::NoBreakeven::not_told_apart;
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), HasSubstr("graphbench_no_breakeven_info" + labels + ",reason=\"not told apart\"} 1\n"));
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_breakeven_steps")));
}

TEST_F(SweepMetricsTest, GraphsThatALibraryDidNotTakeAreCounted) {
  cell.counters.emplace().skips = {{"mutated_input", 2}};
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), HasSubstr("graphbench_capture_skips_total{reason=\"mutated_input\"} 2\n"));
}

TEST_F(SweepMetricsTest, AGainHasItsIntervalWhereThereIsOne) {
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_speedup_over_eager_low_ratio"))) << "below three launches";
  cell.summary.speedup_ci95_low = 0.75;
  cell.summary.speedup_ci95_high = 1.5;
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), HasSubstr("graphbench_speedup_over_eager_low_ratio" + labels + "} 0.75\n"));
  EXPECT_THAT(text(), HasSubstr("graphbench_speedup_over_eager_high_ratio" + labels + "} 1.5\n"));
  cell.status = model::CellStatus::failed;
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_speedup_over_eager_"))) << "a failed cell has no gain";
}

TEST_F(SweepMetricsTest, CallersAndCountersHaveSeriesAndSkipsTheirReason) {
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_io_")));
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_counters_")));
  cell.cell.more_axes["io"] = "update";
  cell.caller_io.emplace().pieces_touched = 2;
  cell.caller_io->recordings = 2;
  cell.caller_io->updates = 1.5;
  cell.caller_io->steps = 64;
  cell.counters.emplace().captured = 112;
  cell.counters->instantiated = 48;
  metrics.set_cell("cuda:0", cell);
  std::string of_io = labels;
  of_io.insert(of_io.find(",device="), ",variant=\"io=update\"");
  EXPECT_THAT(text(), HasSubstr("graphbench_io_pieces_touched" + of_io + "} 2\n"));
  EXPECT_THAT(text(), HasSubstr("graphbench_io_updates" + of_io + "} 1.5\n"));
  EXPECT_THAT(text(), HasSubstr("graphbench_counters_instantiated" + of_io + "} 48\n"));
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_counters_skips")));
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_io_steps")));
}

TEST_F(SweepMetricsTest, MemoryHasASeriesForEachThingThatItIsOf) {
  model::Memory& memory = cell.memory.emplace();
  memory.pool_bytes = 4096;
  memory.static_bytes = 1024;
  memory.exec_bytes.reset();
  memory.exec_resolution_bytes = 512;
  metrics.set_cell("cuda:0", cell);
  const std::string of = "graphbench_memory_bytes" + labels + ",of=";
  EXPECT_THAT(text(), HasSubstr(of + "\"pool\"} 4096\n"));
  EXPECT_THAT(text(), HasSubstr(of + "\"static\"} 1024\n"));
  EXPECT_THAT(text(), Not(HasSubstr("of=\"graphs\""))) << "they were not measured";
  memory.exec_bytes = 2048;
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), HasSubstr(of + "\"graphs\"} 2048\n"));
  EXPECT_THAT(text(), Not(HasSubstr("of=\"\"")));
}

TEST_F(SweepMetricsTest, StartUpEvaluationAndWalkHaveSeriesAndStepsTheirOutcome) {
  model::Startup& startup = cell.launches.front().startup.emplace();
  startup.process_seconds = 0.25;
  startup.context_seconds = 0.5;
  cell.training.emplace().evaluation.emplace().latency_seconds.emplace().p50 = 0.125;
  model::ShapeWalk& walk = cell.shape_walk.emplace();
  walk.recordings = 3;
  walk.hit_seconds = 0.75;
  for (const char* outcome : {"traced", "graph_hit", "graph_hit"})
    walk.traces.emplace_back().outcome = outcome;
  metrics.set_cell("cuda:0", cell);
  for (const char* line :
       {"startup_process_seconds%} 0.25", "startup_context_seconds%} 0.5",
        "evaluation_latency_seconds%} 0.125", "shape_walk_recordings%} 3", "shape_walk_hit_seconds%} 0.75",
        "shape_walk_steps%,outcome=\"traced\"} 1", "shape_walk_steps%,outcome=\"graph_hit\"} 2"}) {
    std::string expected = std::string("graphbench_") + line + "\n";
    EXPECT_THAT(text(), HasSubstr(expected.replace(expected.find('%'), 1, labels)));
  }
  EXPECT_THAT(text(), Not(HasSubstr("shape_walk_replay_seconds")));
  cell.status = model::CellStatus::failed;
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), Not(HasSubstr("shape_walk")));
}

TEST_F(SweepMetricsTest, ASkippedCellHasItsReasonAndNothingElse) {
  cell.status = model::CellStatus::skipped;
  cell.counters.emplace().skips["host_op"] = 1;
  metrics.show_cell("cuda:0", cell);
  EXPECT_THAT(text(), HasSubstr("graphbench_counters_skips" + labels + ",reason=\"host_op\"} 1\n"));
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_latency_seconds")));
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_counters_captured")));
}

TEST_F(SweepMetricsTest, WhatALaterResultLacksIsGone) {
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), HasSubstr("graphbench_speedup_over_eager_ratio" + labels));
  cell.summary.speedup_over_eager.reset();
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_speedup_over_eager_ratio")));
  cell.status = model::CellStatus::failed;
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), Not(HasSubstr("workload="))) << "a failed cell shows no numbers of old";
}

TEST_F(SweepMetricsTest, CellsOfEarlierSweepsStayBesideThoseOfTheLast) {
  metrics.begin_sweep("cuda:0");
  metrics.set_cell("cuda:0", measured("whole", 1));
  metrics.set_cell("cuda:0", measured("whole", 256));
  metrics.end_sweep("cuda:0", 1.0);
  metrics.begin_sweep("cuda:0");
  metrics.set_cell("cuda:0", measured("whole", 256));
  metrics.end_sweep("cuda:0", 2.0);
  EXPECT_THAT(text(), HasSubstr(labels)) << "another model's nightly sweep takes nothing away";
  EXPECT_THAT(text(), HasSubstr("batch=\"256\""));
  EXPECT_THAT(text(), HasSubstr("graphbench_cells_total{status=\"ok\"} 3\n"));
  EXPECT_THAT(text(), HasSubstr("graphbench_cells_dropped_total 0\n"));
}

TEST_F(SweepMetricsTest, TheCellsMeasuredLongestAgoFallOutAndAreCounted) {
  SweepMetrics few("1.2.3", 2);
  few.set_cell("cuda:0", measured("whole", 1));
  few.set_cell("cuda:0", measured("whole", 256));
  few.set_cell("cuda:0", measured("whole", 1));  // measured again: now the newest
  EXPECT_EQ(few.take_dropped(), 0);
  few.set_cell("host", measured("eager", 1));
  few.set_cell("host", measured("eager", 1));
  EXPECT_THAT(*few.text(),
              AllOf(HasSubstr(labels), HasSubstr("device=\"host\""), Not(HasSubstr("batch=\"256\"")),
                    HasSubstr("graphbench_cells_dropped_total 1\n")));
  EXPECT_EQ(few.take_dropped(), 1);
  EXPECT_EQ(few.take_dropped(), 0) << "said once";
}

TEST_F(SweepMetricsTest, ACellCountsOnceASweep) {
  metrics.begin_sweep("host");
  metrics.set_cell("host", measured());
  metrics.set_cell("host", measured());
  EXPECT_THAT(text(), HasSubstr("graphbench_cells_total{status=\"ok\"} 1\n"));
  EXPECT_THAT(text(), HasSubstr("graphbench_steps_total 535\n"))
      << "32 of the ramp, 459 of latency and 44 of device time";
  metrics.begin_sweep("host");
  metrics.set_cell("host", measured());
  EXPECT_THAT(text(), HasSubstr("graphbench_cells_total{status=\"ok\"} 2\n"));
}

TEST_F(SweepMetricsTest, SkipsOfGraphModesAreCountedByReason) {
  cell.cell.mode = "eager";
  cell.status = model::CellStatus::skipped;
  cell.reason = model::Reason{"host_op", "op 3 runs on the host"};
  metrics.set_cell("host", cell);
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_capture_skips_total{")));
  cell.cell.mode = "whole";
  metrics.set_cell("host", cell);
  EXPECT_THAT(text(), HasSubstr("graphbench_capture_skips_total{reason=\"host_op\"} 1\n"));
  EXPECT_THAT(text(), HasSubstr("graphbench_cells_total{status=\"skipped\"} 2\n"));
}

TEST_F(SweepMetricsTest, NumbersThatAreNoneHaveNoSeries) {
  cell.summary.speedup_over_eager = std::numeric_limits<double>::infinity();
  cell.summary.latency_seconds->p50 = std::numeric_limits<double>::quiet_NaN();
  metrics.set_cell("host", cell);
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_speedup_over_eager_ratio")));
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_latency_seconds")));
}

TEST_F(SweepMetricsTest, ProgressAndSuccessAreADevices) {
  metrics.begin_sweep("cuda:1");
  EXPECT_THAT(text(), HasSubstr("graphbench_sweep_running{device=\"cuda:1\"} 1\n"));
  model::Progress progress;
  progress.cells_done = 3;
  progress.cells_total = 4;
  metrics.set_progress("cuda:1", progress);
  metrics.end_sweep("cuda:1", std::nullopt);
  EXPECT_THAT(text(), HasSubstr("graphbench_sweep_running{device=\"cuda:1\"} 0\n"));
  EXPECT_THAT(text(), HasSubstr("graphbench_sweep_progress_ratio{device=\"cuda:1\"} 0.75\n"));
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_last_success_timestamp_seconds{")));
  metrics.end_sweep("cuda:1", 1.5);
  EXPECT_THAT(text(), HasSubstr("graphbench_last_success_timestamp_seconds{device=\"cuda:1\"} 1.5\n"));
}

TEST_F(SweepMetricsTest, TheRampIsTheFirstStepsMediansOverLaunches) {
  cell.launches = {cell.launches.front(), cell.launches.front()};
  cell.launches.front().latency_samples = {3, 2};
  cell.launches.back().latency_samples = {5, 4, 1, 1, 1};
  metrics.set_cell("cuda:0", cell);
  EXPECT_THAT(text(), HasSubstr("graphbench_ramp_seconds" + labels + ",step=\"0\"} 4\n"));
  EXPECT_THAT(text(), HasSubstr("graphbench_ramp_seconds" + labels + ",step=\"1\"} 3\n"));
  EXPECT_THAT(text(), HasSubstr("graphbench_ramp_seconds" + labels + ",step=\"4\"} 1\n"));
  EXPECT_THAT(text(), Not(HasSubstr("step=\"8\""))) << "no launch took as many";
  EXPECT_THAT(text(), Not(HasSubstr("step=\"3\"")));
}

TEST_F(SweepMetricsTest, ADevicesNewFactsReplaceTheOld) {
  model::DeviceFacts facts{};
  facts.kind = "cuda";
  facts.name = "Some \"GPU\"\n";
  facts.driver = "1";
  facts.libraries = {{"cublas", "13.0"}, {"cudnn", "9.1"}};
  metrics.set_device("cuda:0", facts);
  facts.driver = "2";
  facts.libraries = {{"cublas", "13.1"}};
  metrics.set_device("cuda:0", facts);
  EXPECT_THAT(text(), HasSubstr(R"(name="Some \"GPU\"\n")"));
  EXPECT_THAT(text(), HasSubstr("driver=\"2\""));
  EXPECT_THAT(text(), Not(HasSubstr("driver=\"1\"")));
  const std::string library = "graphbench_library_info{device=\"cuda:0\",name=\"";
  EXPECT_THAT(text(), HasSubstr(library + "cublas\",version=\"13.1\"} 1\n"));
  EXPECT_THAT(text(), Not(HasSubstr("13.0")));
  EXPECT_THAT(text(), Not(HasSubstr("cudnn")));
}

model::CellResult result_of(std::int64_t batch) {
  return test::ok_cell(test::sample_task("whole", {}), batch);
}

model::MetricComparison metric(model::Metric which, double base, double ratio, model::Verdict verdict) {
  model::MetricComparison compared;
  compared.metric = which;
  compared.base_seconds = base;
  compared.new_seconds = base * ratio;
  compared.ratio = ratio;
  compared.verdict = verdict;
  return compared;
}

model::Comparison comparison_of(const std::vector<model::CellResult>& cells) {
  model::Comparison comparison;
  for (const model::CellResult& each : cells) {
    model::CellComparison& compared = comparison.cells.emplace_back();
    compared.id = id_of(each.cell);
    compared.metrics = {metric(model::Metric::latency, 0.25, 1.5, model::Verdict::slower),
                        metric(model::Metric::submit, 0.125, 0.5, model::Verdict::faster),
                        metric(model::Metric::device, 0.0625, 1.0, model::Verdict::same),
                        metric(model::Metric::capture, 4, 2.0, model::Verdict::inconclusive)};
  }
  comparison.comparable = true;
  comparison.counts.compared = static_cast<std::int64_t>(cells.size());
  comparison.counts.base_only = 2;
  return comparison;
}

const std::string host_labels =
    R"({workload="mlp",preset="tiny",dtype="fp32",pass="forward",batch="1",warmup="0",mode="whole",)"
    R"(device="host")";

class ComparisonSeriesTest : public SweepMetricsTest {
 protected:
  ComparisonSeriesTest() {
    for (const std::int64_t batch : {1, 2}) metrics.set_cell("host", result_of(batch));
  }
};

TEST_F(ComparisonSeriesTest, ACellHasTheBaselinesMediansItsChangesAndItsVerdicts) {
  model::Comparison comparison = comparison_of({result_of(1)});
  model::MeanComparison& mean = comparison.means.emplace_back();
  mean.mode = "whole";
  mean.metric = metric(model::Metric::submit, 0.125, 1.25, model::Verdict::slower);
  mean.less_steady = true;
  metrics.set_comparison("host", comparison);
  for (const char* line :
       {"graphbench_baseline_comparable{device=\"host\"} 1\n",
        "graphbench_baseline_cells{device=\"host\",coverage=\"compared\"} 1\n",
        "graphbench_baseline_cells{device=\"host\",coverage=\"base_only\"} 2\n",
        "graphbench_baseline_cells{device=\"host\",coverage=\"failed_now\"} 0\n",
        "graphbench_mean_change_ratio{device=\"host\",mode=\"whole\",metric=\"submit\"} 1.25\n",
        "graphbench_mean_verdict_info{device=\"host\",mode=\"whole\",metric=\"submit\","
        "verdict=\"slower\"} 1\n",
        "graphbench_mean_verdict_info{device=\"host\",mode=\"whole\",metric=\"submit\","
        "verdict=\"less steady\"} 1\n"}) {
    EXPECT_THAT(text(), HasSubstr(line));
  }
  const auto expect = [&](const std::string& name, const std::string& rest) {
    EXPECT_THAT(text(), HasSubstr(name + host_labels + rest + "\n"));
  };
  expect("graphbench_baseline_latency_seconds", "} 0.25");
  expect("graphbench_baseline_submit_seconds", "} 0.125");
  expect("graphbench_baseline_device_seconds", "} 0.0625");
  expect("graphbench_change_ratio", ",metric=\"latency\"} 1.5");
  expect("graphbench_change_ratio", ",metric=\"capture\"} 2");
  expect("graphbench_verdict_info", ",metric=\"latency\",verdict=\"slower\"} 1");
  expect("graphbench_verdict_info", ",metric=\"submit\",verdict=\"faster\"} 1");
  expect("graphbench_verdict_info", ",metric=\"device\",verdict=\"same\"} 1");
  expect("graphbench_verdict_info", ",metric=\"capture\",verdict=\"inconclusive\"} 1");
}

TEST_F(ComparisonSeriesTest, WhatTheNextComparisonLacksIsGone) {
  metrics.set_comparison("host", comparison_of({result_of(1), result_of(2)}));
  EXPECT_THAT(text(), HasSubstr("graphbench_change_ratio" + host_labels));
  metrics.set_comparison("host", comparison_of({result_of(2)}));
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_change_ratio" + host_labels)));
  EXPECT_THAT(text(),
              HasSubstr("batch=\"2\",warmup=\"0\",mode=\"whole\",device=\"host\",metric=\"latency\"}"));
}

TEST_F(ComparisonSeriesTest, WhatDoesNotCompareHasNoVerdictsAndSaysWhy) {
  metrics.set_comparison("host", comparison_of({result_of(1)}));
  model::Comparison none;
  none.comparable = false;
  none.differences = {
      {"plan", "a", "b", true, false}, {"cores", "1", "2", true, true}, {"hostname", "x", "y", false, false}};
  metrics.set_comparison("host", none);
  EXPECT_THAT(text(), HasSubstr("graphbench_baseline_comparable{device=\"host\"} 0\n"));
  EXPECT_THAT(text(), HasSubstr("graphbench_baseline_mismatch_info{device=\"host\",field=\"plan\"} 1\n"));
  for (const char* absent :
       {"hostname", "cores", "change_ratio", "verdict", "baseline_cells", "baseline_latency"})
    EXPECT_THAT(text(), Not(HasSubstr(absent)));
}

TEST_F(ComparisonSeriesTest, DevicesKeepTheirOwn) {
  metrics.set_cell("cuda:0", result_of(1));
  metrics.set_comparison("host", comparison_of({result_of(1)}));
  metrics.set_comparison("cuda:0", comparison_of({result_of(1)}));
  model::Comparison none;
  none.comparable = false;
  metrics.set_comparison("cuda:0", none);
  EXPECT_THAT(text(), HasSubstr("graphbench_change_ratio" + host_labels));
  EXPECT_THAT(text(), HasSubstr("graphbench_baseline_comparable{device=\"cuda:0\"} 0\n"
                                "graphbench_baseline_comparable{device=\"host\"} 1\n"));
}

TEST_F(ComparisonSeriesTest, ACellWithoutSeriesHasNoneHere) {
  metrics.set_comparison("host", comparison_of({result_of(3)}));
  EXPECT_THAT(text(), Not(HasSubstr("change_ratio")));
}

}  // namespace
}  // namespace graphbench::sweep
