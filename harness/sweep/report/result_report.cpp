// Makes the Report of a result: each number of a cell once, for all formats.
#include "harness/sweep/report/result_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/model/statistics/metric_values.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::sweep {
namespace {

using model::CellResult;
using model::MetricRow;

// A page has only the most important numbers.
bool is_of_pages(const MetricRow& row) {
  static const std::vector<std::string_view> columns = {"submit", "latency", "gain", "even"};
  return contains(columns, row.column);
}

// A number whose interval the summary has beside it.
struct Interval {
  std::string_view name;
  std::optional<double> model::CellSummary::*low;
  std::optional<double> model::CellSummary::*high;
};
constexpr Interval intervals[] = {
    {"speedup_over_eager", &model::CellSummary::speedup_ci95_low, &model::CellSummary::speedup_ci95_high},
    {"throughput_over_eager", &model::CellSummary::throughput_ci95_low,
     &model::CellSummary::throughput_ci95_high},
    {"breakeven_steps", &model::CellSummary::breakeven_ci95_low, &model::CellSummary::breakeven_ci95_high},
    {"break_latency_seconds", &model::CellSummary::break_latency_ci95_low,
     &model::CellSummary::break_latency_ci95_high},
    {"break_submit_seconds", &model::CellSummary::break_submit_ci95_low,
     &model::CellSummary::break_submit_ci95_high},
    {"startup_seconds", &model::CellSummary::startup_ci95_low, &model::CellSummary::startup_ci95_high}};

const Interval* interval_of(const MetricRow& row) {
  if (section_of(row) != model::MetricSection::summary) return nullptr;
  const auto* const found = std::ranges::find(intervals, row.name, &Interval::name);
  return found == std::end(intervals) ? nullptr : found;
}

// Least widths, with which three modes stay side by side in 120 columns whatever their numbers are.
int width_of(const MetricRow& row) {
  const int numbers = row.kind == model::MetricKind::time || row.kind == model::MetricKind::ratio ? 7
                      : row.kind == model::MetricKind::bytes                                      ? 8
                                                                                                  : 6;
  return std::max(numbers, static_cast<int>(model::heading_of(row).size()) + 1);
}

std::optional<double> cell_value_of(const MetricRow& row, const CellResult& cell) {
  return model::value_of(row, cell);
}

// True if cells of the mode have the metric.
bool in_group(const MetricRow& row, std::string_view mode) {
  return model::is_graph_mode(mode) || !(row.graphs_only || section_of(row) == model::MetricSection::summary);
}

// A metric with `on_request` or `spare_column` is a column of texts only if some cell's value is not 0.
bool is_text_column(const MetricRow& row, const model::Result& result) {
  if (!contains(model::column_metrics(), &row)) return false;
  return !(row.on_request || row.spare_column) ||
         std::ranges::any_of(
             result.cells, [&](const CellResult& cell) { return cell_value_of(row, cell).value_or(0) != 0; });
}

reporters::Column column_of(const MetricRow& row, const model::Result& result) {
  reporters::Column column{.name = std::string(model::heading_of(row)),
                           .unit = std::string(row.unit),
                           .key = path_of(row),
                           .help = std::string(row.column.empty() ? row.help : row.column_help),
                           .width = width_of(row),
                           .spare = row.spare_column,
                           .intervals = is_distribution(row) || interval_of(row) != nullptr};
  if (row.column == "even") column.help += " (?: unknown, -: no eager)";
  const bool has_interval = std::ranges::any_of(
      result.cells, [](const CellResult& cell) { return cell.summary.speedup_ci95_low.has_value(); });
  if (row.name == "speedup_over_eager" && has_interval) column.range_name = "95 %";
  return column;
}

struct Chosen {
  Columns rows;
  std::vector<reporters::Column> columns;
};

Chosen choose(const model::Result& result, const Columns& asked) {
  Chosen chosen;
  const auto add = [&](const MetricRow* row, reporters::Shown shown, std::size_t place) {
    chosen.rows.push_back(row);
    reporters::Column& column = chosen.columns.emplace_back(column_of(*row, result));
    column.shown = shown;
    column.csv_place = place;
  };
  for (const MetricRow* row : asked) {
    add(row, reporters::Shown::everywhere, 0);
    chosen.columns.back().spare = false;
  }
  if (!asked.empty()) return chosen;
  const auto place_of = [](const MetricRow* row) {
    return static_cast<std::size_t>(row - model::metrics().data());
  };
  const auto any_has = [&](const MetricRow& row) {
    return std::ranges::any_of(result.cells,
                               [&](const CellResult& cell) { return cell_value_of(row, cell).has_value(); });
  };
  for (const MetricRow* row : model::column_metrics()) {
    if (!is_text_column(*row, result)) continue;
    const bool page = is_of_pages(*row);
    add(row,
        any_has(*row) ? page ? reporters::Shown::everywhere : reporters::Shown::beside
        : page        ? reporters::Shown::as_text
                      : reporters::Shown::console,
        place_of(row));
  }
  for (const MetricRow& row : model::metrics()) {
    if (!contains(chosen.rows, &row) && any_has(row)) add(&row, reporters::Shown::as_data, place_of(&row));
  }
  return chosen;
}

std::string text_of(const MetricRow& row, double value) {
  switch (row.kind) {
    case model::MetricKind::time:
      return reporters::format_seconds(value);
    case model::MetricKind::ratio:
      return reporters::format_ratio(value);
    case model::MetricKind::bytes:
      return reporters::format_bytes(static_cast<std::int64_t>(value));
    case model::MetricKind::share:
      return fmt::format("{:.0f} %", 100 * value);
    case model::MetricKind::rate:
      return reporters::format_rate(value);
    case model::MetricKind::date:
      return fmt::format("{:.0f}", value);
    case model::MetricKind::count:
      break;
  }
  return reporters::format_count(value);
}

// "~" marks a gain without an interval, "?" a gain whose interval contains 1. "*" replaces "x" if the cell
// and its eager cell ran different kernels. Eager's gain is 1 by definition, and has no mark.
reporters::Value gain_of(double ratio, const std::optional<double>& low, const std::optional<double>& high,
                         const CellResult& cell) {
  if (!model::is_graph_mode(cell.cell.mode)) return reporters::ratio_value(ratio);
  const bool may_be_none = model::may_be_no_gain(low, high);
  reporters::Value value{.text = reporters::format_ratio(ratio), .value = ratio, .low = low, .high = high};
  // A gain that is known is not shown as 1.00x.
  if (low && !may_be_none && value.text == "1.00x") value.text = fmt::format("{:.3f}x", ratio);
  if (cell.records && model::leaves_out_work(*cell.records)) value.text.back() = '*';
  if (!low) value.text.insert(0, "~");
  if (low && may_be_none) value.text += "?";
  value.weight = may_be_none  ? reporters::Weight::quiet
                 : ratio >= 1 ? reporters::Weight::good
                              : reporters::Weight::regression;
  // Three digits, so that the interval fits into its column.
  const int digits = !high || *high < 9.995 ? 2 : *high < 99.95 ? 1 : 0;
  value.range = low ? fmt::format("{:.{}f}-{:.{}f}", *low, digits, *high, digits) : "-";
  return value;
}

// The text if there is no break-even: "never", "-" (eager was not swept, no graph), or "?" (undecided).
std::string mark_of(const model::CellSummary& summary) {
  using enum model::NoBreakeven;
  if (!summary.no_breakeven || summary.no_breakeven == eager_not_swept || summary.no_breakeven == no_graph)
    return "-";
  return summary.no_breakeven == never && summary.speedup_ci95_low ? "never" : "?";
}

// Half the width of a 95 % interval: "±2 %".
std::string half_of(const model::Estimate& estimate) {
  const double percent = 50 * (*estimate.ci95_high - *estimate.ci95_low) / estimate.p50;
  return percent < 1 ? fmt::format("±{:.1g} %", percent) : fmt::format("±{:.0f} %", percent);
}

// The axes that a row's name shows besides workload and batch: later axes, and other axes that have several
// values. It never shows the mode, because modes are columns.
std::set<std::string> axes_that_differ(const model::Result& result) {
  std::map<std::string, std::set<std::string>> values;
  for (const CellResult& cell : result.cells) {
    for (const auto& [axis, value] : model::axis_values(cell.cell)) values[axis].insert(value);
  }
  std::set<std::string> differ;
  for (const auto& [axis, seen] : values) {
    const bool first = axis == "workload" || axis == "batch" || axis == "mode";
    const bool later = model::axis_named(axis).came_later();
    if (!first && (later || seen.size() > 1)) differ.insert(axis);
  }
  return differ;
}

// A row's name, such as "mlp b8" or "mlp b8 w3 io=copy_in".
std::string row_name(const model::Cell& cell, const std::set<std::string>& differ) {
  std::string name = cell.workload + " b" + std::to_string(cell.batch);
  for (const auto& [axis, value] : model::axis_values(cell)) {
    if (!differ.contains(axis)) continue;
    const model::Axis& row = model::axis_named(axis);
    name += " " + (row.came_later() ? axis + "=" : row.id_prefix) + value;
  }
  return name;
}

std::string detail_of(const model::Cell& cell) {
  std::string text = cell.preset == model::of_its_own
                         ? "  its own preset, dtype and pass"
                         : fmt::format("  preset {}, {}, {}", cell.preset, cell.dtype, cell.pass);
  for (const auto& [axis, value] : cell.more_axes) text += ", " + axis + " " + value;
  return text;
}

class Cells {
 public:
  Cells(const model::Result& result, const Columns& asked)
      : chosen_(choose(result, asked)), differ_(axes_that_differ(result)) {
    columns_.push_back({.name = "id", .align = reporters::Align::left, .shown = reporters::Shown::as_data});
    for (const model::Axis& axis : model::axes()) {
      const bool used = std::ranges::any_of(
          result.cells, [&](const CellResult& cell) { return cell.cell.more_axes.contains(axis.name); });
      if (axis.came_later() && !used) continue;
      axes_.push_back(axis.name);
      columns_.push_back({.name = axis.name,
                          .align = reporters::Align::left,
                          .shown = reporters::Shown::as_data,
                          .key = axis.name});
      reporters::Column& column = columns_.back();
      if (axis.name == "mode") across_ = columns_.size() - 1;
      if (axis.name != "batch" && axis.name != "warmup") continue;
      column.align = reporters::Align::right;
      column.shown = reporters::Shown::everywhere;
      column.width = axis.name == "batch" ? 5 : 3;
      if (axis.name == "warmup") column.name = "W";
      if (axis.name == "warmup") column.help = "warmups";
    }
    columns_[across_].shown = reporters::Shown::everywhere;
    columns_.push_back(
        {.name = "status", .align = reporters::Align::left, .shown = reporters::Shown::as_data});
    columns_.push_back(
        {.name = "reason", .align = reporters::Align::left, .shown = reporters::Shown::as_data});
    columns_.insert(columns_.end(), chosen_.columns.begin(), chosen_.columns.end());
  }

  reporters::Section section_of(std::vector<const CellResult*> cells) {
    const model::Cell& first = cells.front()->cell;
    std::ranges::sort(cells);  // by their place in the document
    reporters::Section section{
        .subject = first.workload, .detail = detail_of(first), .columns = columns_, .across = across_};
    for (const CellResult* cell : cells) section.rows.push_back(row_of(*cell, first));
    return section;
  }

 private:
  reporters::Row row_of(const CellResult& cell, const model::Cell& first) {
    const bool ok = cell.status == model::CellStatus::ok;
    const bool failed = cell.status == model::CellStatus::failed;
    // An eager cell stands beside graph cells of other axes, under their name.
    model::Cell named = cell.cell;
    named.more_axes = first.more_axes;
    reporters::Row row{.name = row_name(named, differ_),
                       .weight = ok       ? reporters::Weight::normal
                                 : failed ? reporters::Weight::regression
                                          : reporters::Weight::undecided,
                       .repeated = !seen_.insert(&cell).second};
    const std::string code = cell.reason ? cell.reason->code : "no reason";
    if (!ok)
      row.instead =
          cell.status == model::CellStatus::pending ? "not run" : (failed ? "failed " : "skipped ") + code;
    row.values.push_back(reporters::text_value(model::id_of(cell.cell)));
    const auto values = model::axis_values(cell.cell);
    for (const std::string& axis : axes_) {
      const auto found = std::ranges::find(values, axis, &std::pair<std::string, std::string>::first);
      reporters::Value value =
          reporters::text_value(found != values.end() ? found->second : model::axis_named(axis).fallback);
      if (axis == "batch") value.value = static_cast<double>(cell.cell.batch);
      if (axis == "warmup") value.value = static_cast<double>(cell.cell.warmup);
      row.values.push_back(std::move(value));
    }
    row.values.push_back(reporters::text_value(std::string(model::name_of(cell.status))));
    row.values.push_back(reporters::text_value(cell.reason ? cell.reason->code : ""));
    for (const MetricRow* metric : chosen_.rows) {
      reporters::Value value = number_of(*metric, cell);
      if (!ok || !in_group(*metric, cell.cell.mode)) value.text = value.range = "";
      row.values.push_back(std::move(value));
    }
    return row;
  }

  Chosen chosen_;
  std::set<std::string> differ_;
  std::vector<std::string> axes_;
  std::vector<reporters::Column> columns_;
  std::size_t across_ = 0;
  std::set<const CellResult*> seen_;
};

// "submit over its floor: eager 1.21x (1.10x..1.40x), whole ...": the geometric mean, minimum and maximum
// over all cells of our own programs, per mode: how many launches one call of a foreign step makes, is not
// counted. Empty if no cell has a floor.
std::string floors_text(const model::Result& result) {
  std::vector<std::string> texts;
  for (const std::string& mode : modes_of(result)) {
    std::vector<double> multiples;
    for (const CellResult& cell : result.cells) {
      if (cell.cell.mode == mode && cell.summary.submit_over_floor && cell.cell.preset != model::of_its_own)
        multiples.push_back(*cell.summary.submit_over_floor);
    }
    if (multiples.empty()) continue;
    double logarithms = 0;
    for (const double multiple : multiples) logarithms += std::log(multiple);
    const auto [low, high] = std::ranges::minmax(multiples);
    texts.push_back(
        fmt::format("{} {} ({}..{})", mode,
                    reporters::format_ratio(std::exp(logarithms / static_cast<double>(multiples.size()))),
                    reporters::format_ratio(low), reporters::format_ratio(high)));
  }
  return join(texts, ", ");
}

}  // namespace

const Columns& page_metrics() {
  static const Columns all = [] {
    Columns rows = model::column_metrics();
    for (const MetricRow& row : model::metrics()) {
      if (section_of(row) == model::MetricSection::setup) rows.push_back(&row);
    }
    return rows;
  }();
  return all;
}

reporters::Value number_of(const MetricRow& row, const CellResult& cell) {
  const model::CellSummary& summary = cell.summary;
  const Interval* const interval = interval_of(row);
  const std::optional<double> low = interval != nullptr ? summary.*interval->low : std::nullopt;
  const std::optional<double> high = interval != nullptr ? summary.*interval->high : std::nullopt;
  const std::optional<double> number = cell_value_of(row, cell);
  if (number && (row.name == "speedup_over_eager" || row.name == "throughput_over_eager"))
    return gain_of(*number, low, high, cell);
  reporters::Value value{.value = number, .low = low, .high = high};
  value.text = value.value                                                      ? text_of(row, *value.value)
               : row.name == "breakeven_steps"                                  ? mark_of(summary)
               : row.name == "speedup_over_eager" && model::took_no_graph(cell) ? "no graph"
                                                                                : "-";
  if (row.name == "speedup_over_eager") value.range = "-";
  if (row.estimate == nullptr || !(summary.*row.estimate)) return value;
  const model::Estimate& estimate = *(summary.*row.estimate);
  value.low = estimate.ci95_low;
  value.high = estimate.ci95_high;
  if (value.low && value.high) value.range = half_of(estimate);
  return value;
}

std::vector<std::string> modes_of(const model::Result& result) {
  std::vector<std::string> modes;
  for (const CellResult& cell : result.cells) {
    if (!contains(modes, cell.cell.mode)) modes.push_back(cell.cell.mode);
  }
  return modes;
}

std::string device_text(const model::Result& result) {
  const model::DeviceFacts& device = result.environment.device;
  return fmt::format("device {}: {}", device.kind, device.name);
}

reporters::Report report_of(const model::Result& result, const Columns& asked, const std::string& json_path) {
  reporters::Report report{.started_at = result.started_at};
  report.head.push_back({device_text(result) + "; every number is a median"});
  Cells cells(result, asked);
  for (const auto& section : model::sections_of(result.cells))
    report.sections.push_back(cells.section_of(section));
  add_profiles(report, result);
  add_walks(report, result);
  if (std::string floors = floors_text(result); !floors.empty())
    report.closing.push_back({std::move(floors), reporters::Weight::quiet,
                              "submit over its floor (the same launches, of empty kernels)"});
  add_closing(report, result, json_path);
  return report;
}

}  // namespace graphbench::sweep
