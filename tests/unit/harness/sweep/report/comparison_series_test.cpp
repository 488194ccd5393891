// What the text holds of a comparison with a baseline, and what goes when the next one comes.
#include <gmock/gmock.h>

#include "harness/sweep/report/series.hpp"
#include "harness/sweep/report/sweep_metrics.hpp"

namespace graphbench::reporters {
namespace {

using testing::HasSubstr;
using testing::Not;

model::CellResult cell(std::int64_t batch) {
  model::CellResult result{};
  result.cell = {"mlp", "tiny", "fp32", "forward", batch, 0, "whole"};
  result.status = model::CellStatus::ok;
  return result;
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

const std::string labels =
    R"({workload="mlp",preset="tiny",dtype="fp32",pass="forward",batch="1",warmup="0",mode="whole",)"
    R"(device="host")";

class ComparisonSeriesTest : public testing::Test {
 protected:
  ComparisonSeriesTest() {
    for (const std::int64_t batch : {1, 2}) metrics.set_cell("host", cell(batch));
  }
  std::string text() const { return *metrics.text(); }
  SweepMetrics metrics{"1.2.3"};
};

TEST_F(ComparisonSeriesTest, ACellHasTheBaselinesMediansItsChangesAndItsVerdicts) {
  model::Comparison comparison = comparison_of({cell(1)});
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
    EXPECT_THAT(text(), HasSubstr(name + labels + rest + "\n"));
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
  metrics.set_comparison("host", comparison_of({cell(1), cell(2)}));
  EXPECT_THAT(text(), HasSubstr("graphbench_change_ratio" + labels));
  metrics.set_comparison("host", comparison_of({cell(2)}));
  EXPECT_THAT(text(), Not(HasSubstr("graphbench_change_ratio" + labels)));
  EXPECT_THAT(text(),
              HasSubstr("batch=\"2\",warmup=\"0\",mode=\"whole\",device=\"host\",metric=\"latency\"}"));
}

TEST_F(ComparisonSeriesTest, WhatDoesNotCompareHasNoVerdictsAndSaysWhy) {
  metrics.set_comparison("host", comparison_of({cell(1)}));
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
  metrics.set_cell("cuda:0", cell(1));
  metrics.set_comparison("host", comparison_of({cell(1)}));
  metrics.set_comparison("cuda:0", comparison_of({cell(1)}));
  model::Comparison none;
  none.comparable = false;
  metrics.set_comparison("cuda:0", none);
  EXPECT_THAT(text(), HasSubstr("graphbench_change_ratio" + labels));
  EXPECT_THAT(text(), HasSubstr("graphbench_baseline_comparable{device=\"cuda:0\"} 0\n"
                                "graphbench_baseline_comparable{device=\"host\"} 1\n"));
}

TEST_F(ComparisonSeriesTest, ACellWithoutSeriesHasNoneHere) {
  metrics.set_comparison("host", comparison_of({cell(3)}));
  EXPECT_THAT(text(), Not(HasSubstr("change_ratio")));
}

}  // namespace
}  // namespace graphbench::reporters
