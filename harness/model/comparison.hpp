// A comparison of two results as plain data. harness/judge/compare fills it in, and every output format reads
// it. It mirrors the document `graphbench.comparison/1`. Times are in seconds. A change of 0.02 is 2 %.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/optional_number.hpp"

namespace graphbench::model {

// `slower` and `faster`: the change is larger than the margin, and chance does not explain it (q < alpha).
// `same`: the change is smaller than the margin, and its interval lies inside the margin. `inconclusive`: the
// launches do not decide.
enum class Verdict : std::uint8_t { same, faster, slower, inconclusive };

// The index of a metric among the compared metrics (rows in harness/model/metrics.hpp). Only metrics that the
// code mentions have a name here.
enum class Metric : std::uint8_t {
  latency,
  submit,
  device,
  capture,
  sustained,
  setup,
  instantiate,
  upload,
  throughput
};
std::vector<Metric> all_metrics();
std::vector<Metric> tested_metrics();  // metrics with a verdict
std::vector<Metric> listed_metrics();  // metrics without one
// Metrics that are also tested as a mean over all cells of a mode.
inline constexpr std::array mean_metrics = {Metric::latency, Metric::submit, Metric::setup};

std::string name_of(Verdict verdict);
std::string name_of(Metric metric);

// One metric of one cell. The launch is the unit of replication, so the statistics use one number per launch
// and no samples. A side's value is the geometric mean over launches of each launch's median (for a setup,
// the median of its setups), so that the two values agree with the ratio.
struct MetricComparison {
  Metric metric = Metric::latency;
  bool paired = false;  // launch i of both sides is from one interleaved run
  Verdict verdict = Verdict::inconclusive;
  std::int32_t base_launches = 0;
  std::int32_t new_launches = 0;
  double base_seconds = 0;  // geometric mean over launches
  double new_seconds = 0;
  double ratio = 1;  // NEW's geometric mean over BASE's
  // The ratio's 95 % interval. Absent if a side has one launch (if paired: with one pair).
  OptionalNumber ratio_ci95_low;
  OptionalNumber ratio_ci95_high;
  // The standard deviation between launches (of logarithms) in the test, and its degrees of freedom. Both
  // come from the cell's own launches and from those of other cells.
  OptionalNumber spread;
  OptionalNumber freedom;
  // p is two-sided, for "the change is at most the margin". q is p after the correction over the whole
  // comparison, families first. Both are absent if the interval is.
  OptionalNumber p;
  OptionalNumber q;
  // The p and q of the family: the metric in all cells that differ only in the warmup count.
  OptionalNumber family_p;
  OptionalNumber family_q;
  // The smallest slowdown that is found in 4 of 5 such comparisons; absent if the interval is.
  OptionalNumber detectable;
  OptionalNumber detectable90;  // the same in 9 of 10
  double margin = 0;            // the requested margin, or the floor as a fraction if it is larger
  double floor_seconds = 0;     // as requested
  std::string why;              // one line on what is missing and what would help; only for `inconclusive`
};

// One metric as geometric mean over all cells of a mode. Its error is smaller than that of a single cell, so
// it shows a slowdown of all cells that no cell shows alone.
struct MeanComparison {
  std::string mode;
  std::int64_t cells = 0;   // cells with the metric on both sides
  MetricComparison metric;  // times: means over cells; launches: those of the cell with the most
  // The mean's standard deviation between launches (of logarithms) on each side. spread_p is the p of "NEW's
  // deviation is at most BASE's", or at most half of the margin if that is larger. Absent below two launches.
  OptionalNumber base_spread;
  OptionalNumber new_spread;
  OptionalNumber spread_p;
  bool less_steady = false;  // NEW's deviation is larger, at launches_level over all means
};

// The verdict of a mean that is less steady.
inline constexpr const char* less_steady_word = "less steady";

// The family-wise error rate of `less steady` and of odd launches.
inline constexpr double launches_level = 0.01;

// A launch that differs from the other launches of its side by more than the margin in most cells.
struct OddLaunch {
  bool in_new = false;
  std::int64_t document = 0;  // index of the document on that side, in the order of names
  std::int64_t launch = 0;    // index of the launch in the document
  Metric metric = Metric::latency;
  std::int64_t cells = 0;  // cells that the launch measured
  double ratio = 1;        // ratio to the geometric mean of the other launches
  double p = 1;            // p of "the launch is no further away", family-wise over both sides' launches
};

// A metric that is shown but not tested: geometric means over launches, in the metric's unit. 0: no value.
struct ListedMetric {
  Metric metric = Metric::capture;
  double base = 0;
  double now = 0;
};

// A count or the paths that differ. They need no statistics, because all launches have the same.
struct Change {
  std::string name;  // of MetricRow::counted, or "paths"
  std::string base;  // the number as in the document; paths as one line
  std::string now;
};

// How a cell appears on the two sides. Only `compared` cells have metrics.
enum class Coverage : std::uint8_t {
  compared,     // ok on both sides
  base_only,    // not in NEW
  new_only,     // not in BASE
  failed_now,   // ok in BASE, failed in NEW
  skipped_now,  // ok in BASE, skipped in NEW
  recovered,    // failed or skipped in BASE, ok in NEW
  neither       // failed or skipped on both sides
};

std::string name_of(Coverage coverage);

struct CellComparison {
  std::string id;      // "mlp/base/bf16/forward/b8/w3/whole"
  std::string family;  // the id without the warmup count: "mlp/base/bf16/forward/b8/whole"
  Coverage coverage = Coverage::compared;
  bool regression = false;  // ok in BASE, but NEW lacks the cell or some of its metrics
  std::string reason;       // "code: message" of the side that is not ok (of NEW if both are not); else empty
  // The tested metrics, in the order of all_metrics(). A metric that one side lacks is in `lost` or `gained`.
  std::vector<MetricComparison> metrics;
  std::vector<Metric> lost;          // no launch of NEW has the metric
  std::vector<Metric> gained;        // no launch of BASE has the metric
  std::vector<ListedMetric> listed;  // only in compared cells
  std::vector<Change> changed;
  // The reasons for throttling around launches, joined by "+"; empty: none, or not reported.
  std::string base_throttle;
  std::string new_throttle;
};

// A fact about the environment, plan or tool that differs between the sides.
struct Difference {
  std::string field;      // "device.name", as --allow takes it
  std::string base;       // empty: not known
  std::string now;        // NEW's value ("new" is a keyword)
  bool blocking = false;  // results that differ in this fact cannot be compared
  bool allowed = false;   // --allow names this blocking difference
};

// One side: a document, or all documents of a folder.
struct ComparisonSide {
  std::string source;          // the path as given
  std::int64_t documents = 1;  // how many were merged
  std::string tool_version;    // of several documents: all versions, joined by "+"
  std::string tool_commit;
  std::string started_at;  // the earliest; RFC 3339, UTC
  std::string device_kind;
  std::string device_name;
  std::string driver;
  std::string fingerprint;
  std::string plan_hash;
  std::int64_t launches_min = 0;  // over the cells that are ok
  std::int64_t launches_max = 0;
  std::int64_t cells = 0;
  bool complete = true;  // false: a document is from an interrupted sweep
};

struct MetricSettings {
  double margin = 0.02;
  double floor_seconds = 200e-9;
  // The launches must be able to find this slowdown, if all cells have it, in nine cases of ten.
  std::optional<double> require_power = {};
};

struct ComparisonSettings {
  double alpha = 0.05;
  std::vector<MetricSettings> metrics = std::vector<MetricSettings>(all_metrics().size());  // by Metric
  bool strict = false;
  bool common = false;  // leaves out cells that one side lacks, and allows different plans
  std::vector<std::string> allow;
  // The launches must be able to find this slowdown of one cell's latency in nine cases of ten. A fraction.
  std::optional<double> require_power;
  // The A/B run continues, so its last look spends only its own share of alpha.
  bool more_looks = false;
  const MetricSettings& of(Metric metric) const { return metrics.at(static_cast<std::size_t>(metric)); }
};

struct ComparisonCounts {
  // Metrics of compared cells, by verdict.
  std::int64_t same = 0;
  std::int64_t faster = 0;
  std::int64_t slower = 0;
  std::int64_t inconclusive = 0;
  // Cells, by coverage.
  std::int64_t compared = 0;
  std::int64_t base_only = 0;
  std::int64_t new_only = 0;
  std::int64_t failed_now = 0;
  std::int64_t skipped_now = 0;
  std::int64_t recovered = 0;
  std::int64_t neither = 0;
  std::int64_t coverage_regressions = 0;  // cells with `regression`
  // Metrics of compared cells that one side lacks, and cells that lost a metric, which are regressions.
  std::int64_t metrics_lost = 0;
  std::int64_t metrics_gained = 0;
  std::int64_t cells_lacking = 0;
  std::int64_t changed = 0;        // differing counts of compared cells
  std::int64_t cells_changed = 0;  // cells with a differing count
  // Means over the cells of a mode, by verdict.
  std::int64_t means_same = 0;
  std::int64_t means_faster = 0;
  std::int64_t means_slower = 0;
  std::int64_t means_inconclusive = 0;
  std::int64_t means_less_steady = 0;
};

// The members that count each verdict and each coverage.
using CountOf = std::int64_t ComparisonCounts::*;
inline constexpr std::array<CountOf, 4> verdict_counts = {&ComparisonCounts::same, &ComparisonCounts::faster,
                                                          &ComparisonCounts::slower,
                                                          &ComparisonCounts::inconclusive};
inline constexpr std::array<CountOf, 4> mean_counts = {
    &ComparisonCounts::means_same, &ComparisonCounts::means_faster, &ComparisonCounts::means_slower,
    &ComparisonCounts::means_inconclusive};
inline constexpr std::array<CountOf, 7> coverage_counts = {
    &ComparisonCounts::compared,   &ComparisonCounts::base_only,   &ComparisonCounts::new_only,
    &ComparisonCounts::failed_now, &ComparisonCounts::skipped_now, &ComparisonCounts::recovered,
    &ComparisonCounts::neither};

// The verdict of all metrics together: the first of slower, inconclusive, faster and same that occurs. A mean
// counts if it is slower or faster. `inconclusive` if nothing could be compared.
Verdict verdict_of(const ComparisonCounts& counts);

struct Comparison {
  ComparisonSide base;
  ComparisonSide now;
  ComparisonSettings settings;
  std::vector<Difference> differences;
  // False if a blocking difference is not allowed. `cells` is then empty, and there are no verdicts.
  bool comparable = true;
  std::vector<CellComparison> cells;  // in BASE's order, then those only in NEW
  // Modes in the order of BASE's cells, then metrics as in mean_metrics. A mode with one cell has no means.
  std::vector<MeanComparison> means;
  std::vector<OddLaunch> odd_launches;  // BASE's first
  ComparisonCounts counts;
  std::int64_t tests = 0;     // number of p values that q corrects
  std::int64_t families = 0;  // number of families of these p values
  // The slowdown of one cell's latency, whichever cell it is, that these launches find in nine cases of ten.
  // Absent if none was tested, or if it is above slowdown_max.
  std::optional<double> slowdown_found;
  Verdict verdict = Verdict::inconclusive;  // verdict_of(counts)
  // One line of text: "3 of 48 cells slower (worst: mlp/.../whole latency 1.052x)".
  std::string headline;
};

// A larger slowdown is not reported as one that the launches can find. 10 means elevenfold time.
inline constexpr double slowdown_max = 10;

// Returns "NEW is not complete" if its sweep was interrupted, or "" if both sides are complete.
std::string incomplete_text(const Comparison& comparison);

// The slowdown of a metric's mean that these launches find in nine cases of ten, or that a decided mean rules
// out. Absent if no mean was tested, or if it is above slowdown_max. The first is for one mode, whichever it
// is. The second is for all cells alike, where one mode's mean is enough to find it.
std::optional<double> mode_slowdown_found(const Comparison& comparison, Metric metric);
std::optional<double> mean_slowdown_found(const Comparison& comparison, Metric metric);

bool any_slower(const ComparisonCounts& counts);

// False if every verdict is inconclusive.
bool decided(const Comparison& comparison);

// False if these launches cannot find the slowdowns of --require-power.
bool powerful(const Comparison& comparison);

// The condition for CI: the sides are comparable, nothing is slower, no cell or metric is lost, and
// powerful() holds. `strict` also forbids inconclusive verdicts, changed counts and less steady means.
bool passed(const Comparison& comparison);

}  // namespace graphbench::model
