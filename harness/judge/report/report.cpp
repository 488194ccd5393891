// Makes the Report of a comparison: what is lost and slower first, then what is better, undecided and the
// same.
#include <fmt/format.h>

#include <algorithm>

#include "graphs/base/text.hpp"
#include "harness/judge/report/formats.hpp"
#include "harness/judge/report/words.hpp"
#include "harness/model/metrics.hpp"

namespace graphbench::judge {
namespace {

using model::CellComparison;
using model::Comparison;
using model::Coverage;
using model::MetricComparison;
using model::Verdict;

constexpr std::size_t slower_rows_max = 40;
constexpr std::size_t other_rows_max = 12;
constexpr const char* whole_class = "graphbench.compare";

reporters::Weight weight_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::slower:
      return reporters::Weight::regression;
    case Verdict::faster:
      return reporters::Weight::good;
    case Verdict::inconclusive:
      return reporters::Weight::undecided;
    case Verdict::same:
      break;
  }
  return reporters::Weight::normal;
}

// What is inconclusive fails with --strict. Else it skips the cell's test, unless the cell's latency is
// decided.
reporters::Weight weight_of(const CellComparison& cell, Verdict verdict,
                            const model::ComparisonSettings& settings) {
  if (verdict != Verdict::inconclusive) return weight_of(verdict);
  if (settings.strict) return reporters::Weight::regression;
  const bool decided = std::ranges::any_of(cell.metrics, [](const MetricComparison& metric) {
    return metric.metric == model::Metric::latency && metric.verdict != Verdict::inconclusive;
  });
  return decided ? reporters::Weight::normal : reporters::Weight::undecided;
}

// A cell's class is its workload, mode, preset, dtype and pass, so that a test report shows all batches and
// warmups in one group. For another tool's benchmark, the class is the name up to the first parameter.
std::string class_of(const std::string& id) {
  const std::vector<std::string> parts = split(id, '/');
  if (parts.size() != 7) return parts.front();
  return fmt::format("{}.{}.{}.{}.{}", parts[0], parts[6], parts[1], parts[2], parts[3]);
}

reporters::Row row_of(const CellComparison& cell, std::string verdict, std::string sentence,
                      reporters::Weight weight) {
  return {.name = cell.id,
          .group = class_of(cell.id),
          .verdict = std::move(verdict),
          .sentence = std::move(sentence),
          .weight = weight};
}

const reporters::Column cell_column = {.name = "cell", .align = reporters::Align::left, .code = true};
const reporters::Column metric_column = {.name = "metric", .align = reporters::Align::left};

std::vector<reporters::Column> number_columns() {
  return {{.name = "BASE", .unit = "seconds"},
          {.name = "NEW", .unit = "seconds"},
          {.name = "ratio", .unit = "ratio", .range_name = "95 % interval", .intervals = true},
          {.name = "q"},
          {.name = "finds", .unit = "ratio"}};
}

std::vector<reporters::Column> columns(std::vector<reporters::Column> first,
                                       std::vector<reporters::Column> last = {}) {
  for (reporters::Column& column : number_columns()) first.push_back(std::move(column));
  for (reporters::Column& column : last) first.push_back(std::move(column));
  return first;
}

std::vector<reporters::Value> numbers_of(const MetricComparison& metric, bool painted) {
  return {reporters::seconds_value(metric.base_seconds),
          reporters::seconds_value(metric.new_seconds),
          {.text = ratio_text(metric.ratio),
           .value = metric.ratio,
           .low = metric.ratio_ci95_low,
           .high = metric.ratio_ci95_high,
           .range = interval_text(metric),
           .weight = painted ? weight_of(metric.verdict) : reporters::Weight::normal},
          {.text = q_text(metric.q), .value = metric.q},
          {.text = finds_text(metric), .value = metric.detectable}};
}

reporters::Section verdict_section(const Comparison& comparison, Verdict verdict) {
  std::vector<Finding> found = findings(comparison, verdict);
  if (verdict != Verdict::same) fold(comparison, found);
  const bool families = std::ranges::any_of(found, [](const Finding& each) { return each.members > 1; });
  reporters::Section section{
      .subject = name_of(verdict),
      .detail = ": " + count_text(found) + (verdict == Verdict::same ? " within the margin" : ""),
      .columns =
          columns({cell_column, metric_column}, {{.name = "warmups", .shown = reporters::Shown::as_text}}),
      .weight = verdict == Verdict::same ? reporters::Weight::quiet : weight_of(verdict),
      .rows_max = verdict == Verdict::same     ? 0
                  : verdict == Verdict::slower ? slower_rows_max
                                               : other_rows_max,
      .folded = verdict == Verdict::same || verdict == Verdict::inconclusive};
  for (const Finding& each : found) {
    reporters::Row row = row_of(*each.cell, name_of(verdict), metric_text(*each.metric),
                                weight_of(*each.cell, verdict, comparison.settings));
    row.values = {reporters::text_value(each.cell->id), reporters::text_value(name_of(each.metric->metric))};
    for (reporters::Value& value : numbers_of(*each.metric, true)) row.values.push_back(std::move(value));
    row.values.push_back(reporters::text_value(
        families && !each.repeated ? fmt::format("{} of {}", each.alike, each.members) : ""));
    row.note = each.metric->why;
    if (row.note.empty() && each.metric->metric == model::Metric::setup && verdict != Verdict::same)
      row.note = "listed: " + join(each.cell->listed, "; ", &listed_text);
    row.repeated = each.repeated;
    section.rows.push_back(std::move(row));
  }
  return section;
}

reporters::Section means_section(const Comparison& comparison) {
  reporters::Section section{
      .subject = "means over the cells of a mode",
      .columns =
          columns({{.name = "mode", .align = reporters::Align::left}, metric_column, {.name = "cells"}},
                  {{.name = "verdict", .align = reporters::Align::left}})};
  for (const model::MeanComparison& mean : comparison.means) {
    const std::string metric = name_of(mean.metric.metric);
    // An inconclusive mean is no failure, because its cells are judged too.
    reporters::Row row{.name = mean.mode + " " + metric + " over its cells",
                       .group = "graphbench.means",
                       .verdict = name_of(mean.metric.verdict),
                       .sentence = mean_text(mean),
                       .note = mean.metric.why,
                       .weight = weight_of(mean.metric.verdict)};
    row.values = {reporters::text_value(mean.mode), reporters::text_value(metric),
                  reporters::count_value(mean.cells)};
    for (reporters::Value& value : numbers_of(mean.metric, false)) row.values.push_back(std::move(value));
    row.values.push_back(reporters::text_value(verdict_text(mean), row.weight));
    if (mean.less_steady) {
      row.note = std::string(model::less_steady_word) + ": " + less_steady_text(mean);
      if (row.weight != reporters::Weight::regression) {
        row.verdict = model::less_steady_word;
        row.weight = reporters::Weight::notice;
      }
    }
    section.rows.push_back(std::move(row));
  }
  return section;
}

struct Told {
  const char* subject;
  const char* verdict;
  reporters::Weight weight;  // of a row
  bool folded;
  bool (*is_shown)(const CellComparison& cell);
  std::string (*text)(const CellComparison& cell);
};

// Facts of cells that no test judges.
reporters::Section told_section(const Comparison& comparison, const Told& told) {
  reporters::Section section{
      .subject = told.subject,
      .columns = {cell_column, {.name = "outcome", .align = reporters::Align::left}},
      .weight = told.weight == reporters::Weight::regression ? told.weight : reporters::Weight::normal,
      .rows_max = told.weight == reporters::Weight::regression ? slower_rows_max : other_rows_max,
      .folded = told.folded};
  for (const CellComparison& cell : comparison.cells) {
    if (!told.is_shown(cell)) continue;
    reporters::Row row = row_of(cell, told.verdict, told.text(cell), told.weight);
    row.values = {reporters::text_value(cell.id), reporters::text_value(row.sentence)};
    section.rows.push_back(std::move(row));
  }
  section.detail = fmt::format(": {} cell{}", section.rows.size(), section.rows.size() == 1 ? "" : "s");
  return section;
}

bool is_lost(const CellComparison& cell) {
  return cell.coverage != Coverage::compared && cell.regression;
}
bool lacks_metrics(const CellComparison& cell) {
  return cell.coverage == Coverage::compared && cell.regression;
}
bool has_new_metrics(const CellComparison& cell) {
  return cell.coverage == Coverage::compared && !cell.regression && has_gaps(cell);
}
bool is_not_compared(const CellComparison& cell) {
  return cell.coverage != Coverage::compared && !cell.regression;
}
bool has_changed(const CellComparison& cell) {
  return !cell.changed.empty();
}
bool throttled_differently(const CellComparison& cell) {
  return cell.base_throttle != cell.new_throttle;
}

// Each side's value of what is not tested.
reporters::Section listed_section(const Comparison& comparison) {
  reporters::Section section{.subject = "listed",
                             .columns = {cell_column,
                                         metric_column,
                                         {.name = "BASE", .key = "base"},
                                         {.name = "NEW", .key = "new"},
                                         {.name = "ratio"}},
                             .weight = reporters::Weight::quiet,
                             .rows_max = 0,
                             .folded = true};
  for (const CellComparison& cell : comparison.cells) {
    for (const model::ListedMetric& each : cell.listed) {
      reporters::Row row = row_of(cell, "listed", listed_text(each), reporters::Weight::normal);
      row.values = {reporters::text_value(cell.id), reporters::text_value(name_of(each.metric)),
                    listed_value(each.metric, each.base), listed_value(each.metric, each.now),
                    listed_ratio(each)};
      section.rows.push_back(std::move(row));
    }
  }
  section.detail = fmt::format(": {} metrics without a test", section.rows.size());
  return section;
}

reporters::Section differences_section(const Comparison& comparison, bool in_the_way) {
  const reporters::Weight weight = in_the_way ? reporters::Weight::regression : reporters::Weight::notice;
  reporters::Section section{.subject = in_the_way ? "not comparable" : "sides differ",
                             .weight = in_the_way ? weight : reporters::Weight::normal,
                             .folded = !in_the_way};
  for (const model::Difference& each : comparison.differences) {
    if (!is_choice(each) && (each.blocking && !each.allowed) == in_the_way)
      section.sentences.push_back({difference_text(each), weight});
  }
  if (const std::string choices = choices_text(comparison); !in_the_way && !choices.empty())
    section.sentences.push_back({choices, weight});
  return section;
}

reporters::Section launches_section(const Comparison& comparison) {
  reporters::Section section{.subject = "launches apart from the others"};
  for (const model::TwoStates& states : comparison.two_states)
    section.sentences.push_back({two_states_text(states), reporters::Weight::notice});
  for (const std::string& odd : odd_launch_texts(comparison))
    section.sentences.push_back({odd, reporters::Weight::notice});
  return section;
}

void add_facts(reporters::Report& report, const Comparison& comparison) {
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) report.facts.emplace_back(name, text);
  };
  add("verdict", name_of(outcome_of(comparison)));
  add("headline", comparison.headline);
  add("base", side_text(comparison.base));
  add("new", side_text(comparison.now));
  add("settings", settings_text(comparison.settings));
  add("strict", comparison.settings.strict ? "true" : "false");
  add("found", cells_found_text(comparison));
  add("found_means", means_found_text(comparison));
  for (const std::string& odd : odd_launch_texts(comparison)) add("odd_launch", odd);
  for (const model::TwoStates& states : comparison.two_states) add("two_states", two_states_text(states));
  for (const std::string& field : comparison.settings.allow) add("allow", field);
  for (const model::Difference& each : comparison.differences) add("difference", difference_text(each));
}

void add_closing(reporters::Report& report, const Comparison& comparison) {
  const auto add = [&](const std::string& text) {
    if (!text.empty()) report.closing.push_back({text});
  };
  for (const std::string& line : advice(comparison)) add(line);
  add(power_text(comparison));
}

std::vector<reporters::Sentence> how_to_read(const Comparison& comparison) {
  return {
      {"one launch (one process) gives one number per metric; the statistics use launches, never samples",
       reporters::Weight::normal, "launch"},
      {"NEW over BASE, with its 95 % interval over launches", reporters::Weight::normal, "ratio"},
      {"the p value corrected for the number of comparisons", reporters::Weight::normal, "q"},
      {"the smallest change that would be called slower in four of five comparisons, if launches spread as "
       "these did",
       reporters::Weight::normal, "finds"},
      {"the change is larger than the margin, and chance does not explain it", reporters::Weight::normal,
       "slower, faster"},
      {"the whole interval lies within the margin", reporters::Weight::normal, "same"},
      {"these launches do not decide between the other verdicts; more launches can",
       reporters::Weight::normal, "inconclusive"},
      {fmt::format("{} tests{}", comparison.tests,
                   comparison.settings.strict ? "; strict: an inconclusive result fails" : ""),
       reporters::Weight::normal, "limits"}};
}

}  // namespace

reporters::Report report_of(const Comparison& comparison) {
  reporters::Report report{.name = "graphbench compare",
                           .group = whole_class,
                           .heading = "graphbench: " + name_of(outcome_of(comparison)),
                           .help = how_to_read(comparison),
                           .started_at = comparison.now.started_at,
                           .page_bytes_max = reporters::comment_bytes_max};
  report.title.text = comparison.headline;
  const model::Outcome outcome = outcome_of(comparison);
  report.title.weight = outcome == model::Outcome::passed   ? reporters::Weight::normal
                        : outcome == model::Outcome::faster ? reporters::Weight::good
                                                            : reporters::Weight::regression;
  if (outcome == model::Outcome::not_comparable) {
    report.title.test = "the two sides are comparable";
    report.title.verdict = "not_comparable";
  } else if (outcome == model::Outcome::blind) {
    report.title.test = "the comparison sees a slowdown";
    report.title.verdict = "blind";
  }
  if (const std::string incomplete = incomplete_text(comparison); !incomplete.empty())
    report.head.push_back({incomplete + ": the cells that the interrupted sweep did not measure are missing",
                           reporters::Weight::notice});
  report.head.push_back({side_text(comparison.base), reporters::Weight::normal, "BASE"});
  report.head.push_back({side_text(comparison.now), reporters::Weight::normal, "NEW"});
  if (comparison.comparable) {
    report.head.push_back({settings_text(comparison.settings), reporters::Weight::normal, "limits"});
  }
  if (comparison.tests > 0) {
    report.head.push_back(
        {fmt::format("how likely chance alone makes a ratio so far beyond the margin, corrected for all "
                     "{} tests",
                     comparison.tests),
         reporters::Weight::normal, "q"});
    report.head.push_back({"the smallest slowdown that four of five such comparisons would call slower",
                           reporters::Weight::normal, "finds"});
  }
  const reporters::Weight changed =
      comparison.settings.strict ? reporters::Weight::regression : reporters::Weight::normal;
  report.sections = {
      differences_section(comparison, true),
      differences_section(comparison, false),
      told_section(comparison,
                   {"lost", "lost", reporters::Weight::regression, false, &is_lost, &coverage_text}),
      told_section(comparison, {"metrics lost", "lost", reporters::Weight::regression, false, &lacks_metrics,
                                &coverage_text}),
      means_section(comparison),
      launches_section(comparison),
      verdict_section(comparison, Verdict::slower),
      verdict_section(comparison, Verdict::faster),
      verdict_section(comparison, Verdict::inconclusive),
      verdict_section(comparison, Verdict::same),
      told_section(comparison, {"changed", "changed", changed, true, &has_changed, &changes_text}),
      told_section(comparison, {"throttled differently", "throttled", reporters::Weight::normal, true,
                                &throttled_differently, &throttle_text}),
      told_section(comparison,
                   {"new metrics", "new", reporters::Weight::normal, true, &has_new_metrics, &coverage_text}),
      told_section(comparison, {"not compared", "coverage", reporters::Weight::undecided, true,
                                &is_not_compared, &coverage_text}),
      listed_section(comparison)};
  report.summary = power_text(comparison);
  add_closing(report, comparison);
  add_facts(report, comparison);
  return report;
}

}  // namespace graphbench::judge
