// A comparison of two results as plain data, which `harness/compare` fills in and every format of a
// comparison reads. Mirrors the document `graphbench.comparison/1`. Times in seconds; changes are fractions
// (0.02 is 2 %); optional means absent.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/optional_number.hpp"

namespace graphbench::model {

// `slower` and `faster`: the change is larger than the margin, and chance does not explain it (q < alpha).
// `same`: the change is smaller than the margin, and chance does not explain it (the interval lies inside).
// `inconclusive`: the launches cannot tell.
enum class Verdict : std::uint8_t { same, faster, slower, inconclusive };

// The position of a metric among the compared ones (harness/model/metrics.hpp has their rows). Metrics that
// code names have a name here.
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
std::vector<Metric> tested_metrics();  // those that get a verdict
std::vector<Metric> listed_metrics();  // the others
// The metrics whose mean over all cells of a mode is tested too.
inline constexpr std::array mean_metrics = {Metric::latency, Metric::submit, Metric::setup};

std::string name_of(Verdict verdict);
std::string name_of(Metric metric);

// One metric of one cell. The unit of replication is the launch: a side's value is the geometric mean over
// its launches of each launch's own median (for a setup, of its setups), so that both agree with the ratio;
// and the statistics see one number per launch, never samples.
struct MetricComparison {
  Metric metric = Metric::latency;
  bool paired = false;  // launch i of both sides came from one interleaved run
  Verdict verdict = Verdict::inconclusive;
  std::int32_t base_launches = 0;
  std::int32_t new_launches = 0;
  double base_seconds = 0;  // geometric mean over launches
  double new_seconds = 0;
  double ratio = 1;  // new over base, of the geometric means over launches
  // The ratio's 95 % interval; absent if a side has one launch (paired: one pair).
  OptionalNumber ratio_ci95_low;
  OptionalNumber ratio_ci95_high;
  // The standard deviation between launches (of logarithms) that the test uses, and its degrees of freedom,
  // from its own launches and from those of other cells.
  OptionalNumber spread;
  OptionalNumber freedom;
  // The two-sided p of "the change is not larger than the margin", and its correction over the whole
  // comparison, families first; both are absent if the interval is.
  OptionalNumber p;
  OptionalNumber q;
  // The corrected p of its family, which is the metric in the cells that differ by the warmup count alone.
  OptionalNumber family_p;
  OptionalNumber family_q;
  // The smallest change that would have been called slower in 4 of 5 such comparisons; absent if the
  // interval is.
  OptionalNumber detectable;
  OptionalNumber detectable90;  // in 9 of 10
  double margin = 0;  // the margin in force: the requested one, or the floor as a fraction if that is larger
  double floor_seconds = 0;  // as asked
  std::string why;           // for `inconclusive`, one line: what is missing and what would help; else empty
};

// One metric in the geometric mean over all cells of a mode, which launches know better than any cell. It
// shows a slowdown of all cells that is too small to show in one.
struct MeanComparison {
  std::string mode;
  std::int64_t cells = 0;   // cells with the metric on both sides
  MetricComparison metric;  // its times are means over cells, its launches those of the cell with the most
  // The standard deviations of that mean between the launches of each side (of logarithms), and the p that
  // NEW's is no larger than BASE's, or than half of the margin if that is more; absent below two launches.
  OptionalNumber base_spread;
  OptionalNumber new_spread;
  OptionalNumber spread_p;
  bool less_steady = false;  // NEW's deviation is larger, family-wise over all means at launches_level
};

// The verdicts of a mean besides those of Verdict.
inline constexpr const char* less_steady_word = "less steady";

// The family-wise error rate of verdicts on launches.
inline constexpr double launches_level = 0.01;

// A launch that is apart from the others of its side by more than the margin, in most cells.
struct OddLaunch {
  bool in_new = false;
  std::int64_t document = 0;  // index of the document of that side, in the order of names
  std::int64_t launch = 0;    // its index there
  Metric metric = Metric::latency;
  std::int64_t cells = 0;  // cells that the launch measured
  double ratio = 1;        // ratio to the geometric mean of the others
  double p = 1;            // p of being no further away, family-wise over the launches of both sides
};

// The values of a metric that is shown and not tested: geometric means over launches, in its own unit; 0 if a
// side has none.
struct ListedMetric {
  Metric metric = Metric::capture;
  double base = 0;
  double now = 0;
};

// A count, or the paths, that differ. No statistics: they are the same in every launch.
struct Change {
  std::string name;  // of MetricRow::counted, or "paths"
  std::string base;  // as the document writes a number; for paths, one line
  std::string now;
};

// The presence of a cell on the two sides. Only `compared` has metrics.
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
  bool regression = false;  // ok in BASE, but NEW did not measure all of it
  std::string reason;       // "code: message" of the side that is not ok (NEW's before BASE's), else empty
  // The tested ones, in the order of all_metrics. One that one side lacks is in `lost` or `gained`.
  std::vector<MetricComparison> metrics;
  std::vector<Metric> lost;          // no launch of NEW has it
  std::vector<Metric> gained;        // no launch of BASE had it
  std::vector<ListedMetric> listed;  // of compared cells
  std::vector<Change> changed;
  // The reasons for which the device was throttled around launches, joined by "+"; empty if a side does
  // not tell.
  std::string base_throttle;
  std::string new_throttle;
};

// One fact in which the two sides' environments, plans or tools differ.
struct Difference {
  std::string field;      // "device.name": what --allow takes
  std::string base;       // empty: that side does not say
  std::string now;        // NEW's value ("new" is a keyword)
  bool blocking = false;  // numbers across it do not compare
  bool allowed = false;   // blocking, but --allow names it
};

// One side: a document, or the documents of a folder merged.
struct ComparisonSide {
  std::string source;          // the path as given
  std::int64_t documents = 1;  // how many were merged
  std::string tool_version;    // several documents: all that differ, joined by "+"
  std::string tool_commit;
  std::string started_at;  // RFC 3339, UTC; the earliest
  std::string device_kind;
  std::string device_name;
  std::string driver;
  std::string fingerprint;
  std::string plan_hash;
  std::int64_t launches_min = 0;  // over the cells that are ok
  std::int64_t launches_max = 0;
  std::int64_t cells = 0;
  bool complete = true;  // false: an interrupted sweep is among the documents
};

struct MetricSettings {
  double margin = 0.02;
  double floor_seconds = 200e-9;
  // The slowdown of all cells alike that must have been found in nine cases of ten.
  std::optional<double> require_power = {};
};

struct ComparisonSettings {
  double alpha = 0.05;
  std::vector<MetricSettings> metrics = std::vector<MetricSettings>(all_metrics().size());  // by Metric
  bool strict = false;
  bool common = false;  // cells of one side alone are left out, and the plans may differ
  std::vector<std::string> allow;
  // The slowdown of one cell's latency that must have been found in nine cases of ten, as a fraction.
  std::optional<double> require_power;
  // The run that is compared goes on: its last look spends no more than its share of alpha.
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
  // Metrics of compared cells that one side lacks, and the cells that lost any: part of the regressions.
  std::int64_t metrics_lost = 0;
  std::int64_t metrics_gained = 0;
  std::int64_t cells_lacking = 0;
  std::int64_t changed = 0;        // counts of compared cells that differ
  std::int64_t cells_changed = 0;  // with any
  // Means over the cells of a mode, by verdict.
  std::int64_t means_same = 0;
  std::int64_t means_faster = 0;
  std::int64_t means_slower = 0;
  std::int64_t means_inconclusive = 0;
  std::int64_t means_less_steady = 0;
};

// Where each verdict, and each coverage, is counted.
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

// The verdict of all metrics together: the first of slower, inconclusive, faster, same that occurs;
// `inconclusive` if nothing could be compared. A mean that is slower or faster counts too.
Verdict verdict_of(const ComparisonCounts& counts);

struct Comparison {
  ComparisonSide base;
  ComparisonSide now;
  ComparisonSettings settings;
  std::vector<Difference> differences;
  // False: a blocking difference is not allowed; then `cells` is empty and nothing was judged.
  bool comparable = true;
  std::vector<CellComparison> cells;  // in BASE's order, then NEW's own
  // By mode in the order of BASE's cells, then in the order of mean_metrics; a mode of one cell has no means.
  std::vector<MeanComparison> means;
  std::vector<OddLaunch> odd_launches;  // BASE's first
  ComparisonCounts counts;
  std::int64_t tests = 0;     // how many p values q was corrected over
  std::int64_t families = 0;  // into which they fall
  // The slowdown of one cell's latency that these launches find in nine cases of ten, whichever cell it is;
  // absent if none was tested, or where it is more than tenfold.
  std::optional<double> slowdown_found;
  Verdict verdict = Verdict::inconclusive;  // verdict_of(counts)
  // One line for people, e.g. "3 of 48 cells slower (worst: mlp/.../whole latency 1.052x)".
  std::string headline;
};

// A slowdown beyond elevenfold is not reported as one that would be found.
inline constexpr double slowdown_max = 10;

// "NEW is not complete", where its sweep was interrupted; empty where both sides are.
std::string incomplete_text(const Comparison& comparison);

// The slowdown of a metric's mean that these launches find in nine cases of ten, or that a decided mean
// excludes; absent if none was tested, or if it is more than tenfold. The first is found in whichever mode it
// is. The second is in all cells alike, so that one mode's mean is enough to find it.
std::optional<double> mode_slowdown_found(const Comparison& comparison, Metric metric);
std::optional<double> mean_slowdown_found(const Comparison& comparison, Metric metric);

// True if a cell or a mean is slower.
bool any_slower(const ComparisonCounts& counts);

// False if every verdict is inconclusive: these sides say nothing.
bool decided(const Comparison& comparison);

// False if these launches cannot find what --require-power asks for.
bool powerful(const Comparison& comparison);

// The condition that CI gates on: comparable, nothing slower, no cell or metric lost, powerful. `strict` also
// requires nothing inconclusive, no count changed and no mean less steady.
bool passed(const Comparison& comparison);

}  // namespace graphbench::model
