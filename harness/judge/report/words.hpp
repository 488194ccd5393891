// The texts for numbers, differences and names in all formats of a comparison.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/model/comparison.hpp"
#include "reporters/report.hpp"

namespace graphbench::judge {

// "latency 112us -> 118us, 1.052x [1.041, 1.063], q 0.0123". For an inconclusive metric, the smallest change
// that the test would have found follows: ", finds 6.8 %".
std::string metric_text(const model::MetricComparison& metric);

// A metric of a cell. Both pointers point into the comparison.
struct Finding {
  const model::CellComparison* cell = nullptr;
  const model::MetricComparison* metric = nullptr;
  std::size_t alike = 1;    // members of the family with this verdict
  std::size_t members = 1;  // members of the family, with any verdict
  bool repeated = false;    // another finding stands for the family
};

// "whole submit of 27 cells 1.64us -> 1.97us, 1.200x [1.150, 1.252], q 0.0012".
std::string mean_text(const model::MeanComparison& mean);

// "same", "slower, less steady".
std::string verdict_text(const model::MeanComparison& mean);
// "whole latency: the spread of launches is 18 % in NEW and 0.1 % in BASE"; empty unless less steady.
std::string less_steady_text(const model::MeanComparison& mean);
// "launch 2 of NEW: latency is 1.500x that of the others, in most of 81 cells".
std::vector<std::string> odd_launch_texts(const model::Comparison& comparison);
// "2 of 5 launches of NEW are 5.1 % slower than its others in latency: two states?"
std::string two_states_text(const model::TwoStates& states);

// All metrics with this verdict, the largest ratio first. For `faster`, the smallest ratio is first.
std::vector<Finding> findings(const model::Comparison& comparison, model::Verdict verdict);

// Counts each family in its first, and so its worst, finding, and marks the others as repeated. All of
// `found` have one verdict.
void fold(const model::Comparison& comparison, std::vector<Finding>& found);
// "8 metrics", or folded "8 metrics of 2 families".
std::string count_text(const std::vector<Finding>& found);

std::string ratio_text(double ratio);
// "[1.047, 1.058]", or "-" without an interval.
std::string interval_text(const model::MetricComparison& metric);
// The smallest change that the test would have found: "6.8 %", ">1000 %", or "-" without a test.
std::string finds_text(const model::MetricComparison& metric);
// "<0.0001", "0.021", "-".
std::string q_text(const std::optional<double>& q);
// True if the cell, or one of its metrics, was not compared.
bool has_gaps(const model::CellComparison& cell);
// "not in NEW", "failed in NEW: out_of_memory: ...", "latency is not in NEW" for a cell with gaps.
std::string coverage_text(const model::CellComparison& cell);
// "nodes 24 -> 26, pool_bytes 2.10 MB -> 4.19 MB"; empty if nothing changed.
std::string changes_text(const model::CellComparison& cell);
// "throttled: never -> power"; empty if the sides do not differ.
std::string throttle_text(const model::CellComparison& cell);
// One side's number of a metric that is not tested, in the metric's unit, and NEW's over BASE's.
reporters::Value listed_value(model::Metric metric, const std::optional<double>& value);
reporters::Value listed_ratio(const model::ListedMetric& listed);
// "capture 1.90ms -> 1.70ms, 0.895x".
std::string listed_text(const model::ListedMetric& listed);
// "device.driver: 580 -> 590". A blocking difference adds what to do, or " (allowed)".
std::string difference_text(const model::Difference& difference);
// True for a difference in a library choice. choices_text() is one line on all such differences, or empty:
// "differs: 70 library choices (70 of matmul with first dimension 1 to 8); --format json shows all".
bool is_choice(const model::Difference& difference);
std::string choices_text(const model::Comparison& comparison);
// "base.json: NVIDIA H200, driver 580, graphbench 0.1.0 (abc), 81 cells, 5 launches, 2026-..."
std::string side_text(const model::ComparisonSide& side);
// "margin 2 %, floor 200ns, alpha 0.05"; metric by metric if margins or floors differ between metrics.
std::string settings_text(const model::ComparisonSettings& settings);
// The slowdowns that these launches find in nine cases of ten: per mode of latency in its worst cell, "eager
// 19 %, whole 3 %"; in all cells alike, "latency 2.3 %, submit 6.7 %"; and both in one text. Empty if no
// latency, or no mean, was tested.
std::string cells_found_text(const model::Comparison& comparison);
std::string means_found_text(const model::Comparison& comparison);
std::string found_text(const model::Comparison& comparison);
// "5 %,submit=10 %".
std::string required_text(const model::ComparisonSettings& settings);
// A sentence of found_text(), and of --require-power if that is not met. Empty if there is neither.
std::string power_text(const model::Comparison& comparison);
// What the user should do next, one sentence per line; may be empty.
std::vector<std::string> advice(const model::Comparison& comparison);

}  // namespace graphbench::judge
