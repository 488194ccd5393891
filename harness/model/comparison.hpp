// A comparison of two results as plain data. harness/judge/compare fills it in, and every output format reads
// it. It mirrors the document `graphbench.comparison/1`. Times are in seconds. A change of 0.02 is 2 %.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphbench::model {

// `slower` and `faster`: the change is significantly larger than the margin (q < alpha). `same`: the change's
// interval lies inside the margin. `inconclusive`: the launches do not decide.
enum class Verdict : std::uint8_t { same, faster, slower, inconclusive };

// The index of a metric in compared_metrics() (metrics.hpp). The metrics that code refers to come first
// there; the others have no enumerator.
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
std::vector<Metric> tested_metrics();
std::vector<Metric> listed_metrics();
// A comparison also tests the mean of each of these metrics over all cells of a mode.
inline constexpr std::array mean_metrics = {Metric::latency, Metric::submit, Metric::setup};

std::string name_of(Verdict verdict);
std::string name_of(Metric metric);

// One metric of one cell. Statistics use one number per launch, the unit of replication: the median of its
// samples or setups. A side's value is the geometric mean of these medians.
struct MetricComparison {
  Metric metric = Metric::latency;
  bool paired = false;  // an interleaved run (`ab`) made both sides: launch i of BASE ran next to i of NEW
  Verdict verdict = Verdict::inconclusive;
  std::int64_t base_launches = 0;
  std::int64_t new_launches = 0;
  double base_seconds = 0;
  double new_seconds = 0;
  double ratio = 1;  // NEW's over BASE's
  // The ratio's 95 % confidence interval. Absent if a side has one launch, or if there is one pair.
  std::optional<double> ratio_ci95_low;
  std::optional<double> ratio_ci95_high;
  // The standard deviation of log medians between launches that the test uses, and its degrees of freedom.
  // Both are estimated from the launches of this cell and of other cells.
  std::optional<double> spread;
  std::optional<double> freedom;
  // p is the two-sided p value of the hypothesis "the change is at most the margin". q is p, corrected for
  // all families and then for the cells of the family. Both are absent without an interval.
  std::optional<double> p;
  std::optional<double> q;
  // The p and q of the family, which is this metric in all cells that differ only in the warmup count.
  std::optional<double> family_p;
  std::optional<double> family_q;
  // The smallest slowdowns that the test finds with a probability of 0.8 and 0.9. Absent without an interval.
  std::optional<double> detectable;
  std::optional<double> detectable90;
  double margin = 0;         // the larger of --margin and --floor / (the smaller of the two *_seconds)
  double floor_seconds = 0;  // --floor
  std::string why;           // only for `inconclusive`: one line with the reason and the remedy
};

// One metric's geometric mean over a mode's cells. The mean can show a slowdown that no cell shows, because
// its error is smaller.
struct MeanComparison {
  std::string mode;
  std::int64_t cells = 0;  // cells with the metric on both sides
  MetricComparison
      metric;  // *_seconds: means over cells; *_launches: maxima; margin: from --floor / sqrt(cells)
  // The standard deviation between launches of each side's log mean. spread_p is the p value of "new_spread
  // is at most the larger of base_spread and half the margin", corrected for all means. All three are absent
  // if a side has fewer than steady_launches_min launches.
  std::optional<double> base_spread;
  std::optional<double> new_spread;
  std::optional<double> spread_p;
  bool less_steady = false;  // spread_p is below launches_level
};

inline constexpr const char* less_steady_word = "less steady";

// Fewer launches per side cannot show that launches spread more: a permutation of five and five is as extreme
// as the most extreme one in one case of 252, which the correction for nine means makes 4 %.
inline constexpr std::int64_t steady_launches_min = 8;

// The family-wise error rate of the verdict `less steady`, and of the search for odd launches.
inline constexpr double launches_level = 0.01;

// A launch that is significantly further than the margin from the mean of the other launches of its side.
struct OddLaunch {
  bool in_new = false;
  std::int64_t document = 0;  // index of the document on that side, in the order of names
  std::int64_t launch = 0;
  Metric metric = Metric::latency;
  std::int64_t cells = 0;
  double ratio = 1;  // this launch over the geometric mean of the other launches
  double p = 1;      // p value of "the distance is at most the margin", corrected for both sides' launches
};

// One side's launches in two groups, each of two or more, that are further apart than the margin and than
// launches of one group ever are: two states of the machine or of the program?
struct TwoStates {
  bool in_new = false;
  Metric metric = Metric::latency;
  std::int64_t slower = 0;    // launches in the slower group
  std::int64_t launches = 0;  // of both groups
  double ratio = 1;           // the slower group's geometric mean over the other's
  double p = 1;  // of so clear a split of as many normal values, corrected for all metrics of both sides
};

// A metric without a test: each side's geometric mean over launches, in the metric's unit.
struct ListedMetric {
  Metric metric = Metric::capture;
  std::optional<double> base;
  std::optional<double> now;
};

// A count or list of paths that differs between the sides. All launches of a side have the same counts and
// paths.
struct Change {
  std::string name;  // MetricRow::counted, or "paths"
  std::string base;  // the number in the document, or the paths in one line
  std::string now;
};

// The status of a cell on the two sides. Only `compared` cells have metrics.
enum class Coverage : std::uint8_t {
  compared,  // ok on both sides
  base_only,
  new_only,
  failed_now,   // ok in BASE, failed in NEW
  skipped_now,  // ok in BASE, skipped in NEW
  recovered,    // failed or skipped in BASE, ok in NEW
  neither       // failed or skipped on both sides
};

std::string name_of(Coverage coverage);

// The mode in a cell's id, such as "whole"; empty for an id of another form.
std::string mode_of(const std::string& id);

struct CellComparison {
  std::string id;
  std::string family;  // the id without the warmup count
  Coverage coverage = Coverage::compared;
  bool regression = false;  // ok in BASE, but NEW lacks the cell or some of its metrics
  std::string reason;       // "code: message" of the failed or skipped side, NEW before BASE; else empty
  // In the order of all_metrics(). NEW lacks the metrics in `lost`, and BASE those in `gained`.
  std::vector<MetricComparison> metrics;
  std::vector<Metric> lost;
  std::vector<Metric> gained;
  std::vector<ListedMetric> listed;
  std::vector<Change> changed;
  // Why the device throttled around launches: reasons joined by "+"; empty: none, or not reported.
  std::string base_throttle;
  std::string new_throttle;
};

// A fact about the environment, plan or tool that differs between the sides.
struct Difference {
  std::string field;  // the fact's name: "device.name"; --allow accepts the names of facts that can block
  std::string base;   // empty: not known
  std::string now;
  bool blocking = false;  // without --allow, sides that differ in this fact are not compared
  bool allowed = false;
};

// One side of a comparison: a document, or all documents of a folder.
struct ComparisonSide {
  std::string source;  // the path that the user gave
  std::int64_t documents = 1;
  std::string tool_version;  // if the documents' versions differ: all versions, joined by "+"
  std::string tool_commit;
  std::string started_at;  // the earliest; RFC 3339, UTC
  std::string device_kind;
  std::string device_name;
  std::string driver;
  std::string fingerprint;
  std::string plan_hash;
  std::int64_t launches_min = 0;  // minimum over the cells that are ok
  std::int64_t launches_max = 0;
  std::int64_t cells = 0;
  bool complete = true;  // false: a document is from an interrupted sweep
};

struct MetricSettings {
  double margin = 0.02;
  double floor_seconds = 200e-9;
  // The launches must find this slowdown of all cells with a probability of 0.9 (--require-power).
  std::optional<double> require_power = {};
};

struct ComparisonSettings {
  double alpha = 0.05;
  std::vector<MetricSettings> metrics = std::vector<MetricSettings>(all_metrics().size());
  bool strict = false;
  bool common = false;  // leaves out cells that one side lacks, and allows different plans
  std::vector<std::string> allow;
  // The launches must find this slowdown (a fraction) of one cell's latency with a probability of 0.9.
  std::optional<double> require_power;
  // True while an A/B run continues. The latest comparison (look) may then use only its own share of alpha.
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
  std::int64_t coverage_regressions = 0;
  // Metrics that one side of a compared cell lacks, and the number of cells that lost a metric (regressions).
  std::int64_t metrics_lost = 0;
  std::int64_t metrics_gained = 0;
  std::int64_t cells_lacking = 0;
  std::int64_t changed = 0;  // differing counts of compared cells
  std::int64_t cells_changed = 0;
  // Means over the cells of a mode, by verdict.
  std::int64_t means_same = 0;
  std::int64_t means_faster = 0;
  std::int64_t means_slower = 0;
  std::int64_t means_inconclusive = 0;
  std::int64_t means_less_steady = 0;
};

// The counters of each verdict and of each coverage, in the order of the enums.
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

// Returns the verdict of all metrics together: the first of slower, inconclusive, faster and same that any
// metric has. Means count only if they are slower or faster. Returns `inconclusive` if nothing was compared.
Verdict verdict_of(const ComparisonCounts& counts);

struct Comparison {
  ComparisonSide base;
  ComparisonSide now;
  ComparisonSettings settings;
  std::vector<Difference> differences;
  // False if a blocking difference is not allowed. `cells` is then empty, and there are no verdicts.
  bool comparable = true;
  std::vector<CellComparison> cells;  // in BASE's order, then those only in NEW
  // Sorted by mode (in the order of BASE's cells), then by mean_metrics. A mode with one cell has no means.
  std::vector<MeanComparison> means;
  std::vector<OddLaunch> odd_launches;  // BASE's first
  std::vector<TwoStates> two_states;    // BASE's first; one metric of a side
  ComparisonCounts counts;
  std::int64_t tests = 0;     // number of p values that are corrected together
  std::int64_t families = 0;  // number of their families
  // The slowdown of a random cell's latency that these launches find with a probability of 0.9. Absent if no
  // latency was tested, or if the slowdown is above slowdown_max.
  std::optional<double> slowdown_found;
  Verdict verdict = Verdict::inconclusive;  // verdict_of(counts)
  // One line of text: "slower: 3 of 48 cells; most: mlp/.../whole latency 1.052x".
  std::string headline;
};

// Larger slowdowns are not reported as found: 10 means eleven times the time.
inline constexpr double slowdown_max = 10;

// Returns "NEW is not complete" if NEW's sweep was interrupted, or "" if both sides are complete.
std::string incomplete_text(const Comparison& comparison);

// Returns the smallest slowdown of a metric in all cells that these launches find with a probability of 0.9,
// by the mean of the mode that finds most: modes that share launches miss it together. At least the margin.
// Without means, of single cells. Absent if none was tested, or if the slowdown is above slowdown_max.
std::optional<double> mean_slowdown_found(const Comparison& comparison, Metric metric);

// The cell of a mode whose slowdown of latency is the hardest to find, and the slowdown that these launches
// find there with a probability of 0.9; absent above slowdown_max.
struct WorstCell {
  std::string mode;  // empty for ids of another form
  std::string cell;
  std::optional<double> slowdown_found;
};
// In the order of the modes' first cells; only of tested cells.
std::vector<WorstCell> worst_cells(const Comparison& comparison);

bool any_slower(const ComparisonCounts& counts);

// False if every verdict is inconclusive.
bool decided(const Comparison& comparison);

// True if these launches can find the slowdowns of --require-power.
bool powerful(const Comparison& comparison);

// True if a cell's or a mode's latency has a verdict; without any latency, if any metric has.
bool latency_decided(const Comparison& comparison);

// The one word that every format says first, and that decides the exit code.
// - lost: NEW lacks a cell or a metric of BASE. changed: with `strict`, a count changed.
// - blind: a side is not complete, powerful() or latency_decided() is false; with `strict`, a metric is
//   inconclusive.
// - not_comparable: a blocking difference is not allowed, or no cell is ok on both sides.
enum class Outcome : std::uint8_t { passed, faster, slower, lost, changed, blind, not_comparable };
Outcome outcome_of(const Comparison& comparison);
std::string name_of(Outcome outcome);

// True for `passed` and `faster`: exit code 0.
bool passed(const Comparison& comparison);

}  // namespace graphbench::model
