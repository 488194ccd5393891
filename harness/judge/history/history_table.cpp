// Prints the entries of a history as a table. People copy values from it, so only commits and hashes are
// shortened. Plots a series as a grid of characters; if columns are too few, neighbouring entries share one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "harness/judge/history/history.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "reporters/format.hpp"

namespace graphbench::judge {
namespace {

constexpr std::size_t hash_digits = 8;
constexpr std::size_t commit_digits = 12;

reporters::Value text_or_dash(std::string text) {
  return reporters::text_value(text.empty() ? "-" : std::move(text));
}

reporters::Row row_of(const HistoryEntry& entry) {
  reporters::Value launches = reporters::count_value(entry.launches);
  if (!entry.complete) launches.text += " (interrupted)";
  return {.values = {reporters::count_value(entry.id), text_or_dash(entry.started_at),
                     text_or_dash(entry.label.branch),
                     text_or_dash(entry.label.commit.substr(0, commit_digits)),
                     text_or_dash(entry.label.label), text_or_dash(entry.device),
                     text_or_dash(entry.fingerprint.substr(0, hash_digits)),
                     text_or_dash(entry.plan_hash.substr(0, hash_digits)),
                     reporters::count_value(entry.cells), std::move(launches)}};
}

std::vector<reporters::Column> entry_columns() {
  std::vector<reporters::Column> columns = {{.name = "id"}};
  for (const char* name : {"started", "branch", "commit", "label", "device", "environment", "plan"})
    columns.push_back({.name = name, .align = reporters::Align::left});
  columns.push_back({.name = "cells"});
  columns.push_back({.name = "launches"});
  return columns;
}

constexpr int label_width = 9;
constexpr int column_step_max = 4;

enum class Mark : std::uint8_t { nothing, level, range, change, point };

struct Glyphs {
  const char* axis;
  const char* tick;
  const char* level;
  const char* range;
  const char* change;
  const char* point;
};
constexpr Glyphs unicode_glyphs = {"│", "┤", "─", "╎", "┊", "●"};
constexpr Glyphs ascii_glyphs = {"|", "+", "-", "'", ":", "o"};

struct Scale {
  double low = 0;
  double high = 1;
  std::size_t rows = 1;
  std::size_t columns = 1;
  std::size_t points = 1;

  // Row 0 is the highest value.
  std::size_t row_of(double value) const {
    const double share = (high - value) / (high - low) * static_cast<double>(rows - 1);
    return static_cast<std::size_t>(std::clamp(std::lround(share), 0L, static_cast<long>(rows - 1)));
  }
  double value_at(std::size_t row) const {
    return high - (high - low) * static_cast<double>(row) / static_cast<double>(rows - 1);
  }
  std::size_t column_of(std::size_t point) const {
    if (points > columns) return point * columns / points;
    return point * std::min<std::size_t>(column_step_max, columns / points);
  }
};

Scale scale_of(const CellHistory& history, const PlotOptions& options) {
  Scale scale;
  const auto [low, high] = std::ranges::minmax_element(history.points, {}, &HistoryPoint::median);
  // The plot covers at least 2 %, so that a flat series does not show noise as large changes.
  const double middle = (low->median + high->median) / 2;
  const double reach = std::max((high->median - low->median) / 2, middle * 0.01);
  scale.low = middle - reach;
  scale.high = middle + reach;
  // Cuts a far launch off at the edge of the plot, so that the other points keep their resolution.
  for (const HistoryPoint& point : history.points) {
    if (point.launches < 2) continue;
    scale.low = std::min(scale.low, std::max(point.lowest, middle - 2 * reach));
    scale.high = std::max(scale.high, std::min(point.highest, middle + 2 * reach));
  }
  scale.rows = static_cast<std::size_t>(std::max(options.rows, 2));
  scale.columns = static_cast<std::size_t>(std::max(options.width, 40) - label_width - 2);
  scale.points = history.points.size();
  return scale;
}

class Grid {
 public:
  explicit Grid(const Scale& scale)
      : columns_(scale.columns), marks_(scale.rows * scale.columns, Mark::nothing) {}
  void put(std::size_t row, std::size_t column, Mark mark) {
    Mark& place = marks_[row * columns_ + std::min(column, columns_ - 1)];
    place = std::max(place, mark);
  }
  Mark at(std::size_t row, std::size_t column) const { return marks_[row * columns_ + column]; }

 private:
  std::size_t columns_;
  std::vector<Mark> marks_;
};

double level_between(const std::vector<HistoryPoint>& points, std::size_t begin, std::size_t end) {
  std::vector<double> medians;
  for (std::size_t i = begin; i < end; ++i) medians.push_back(points[i].median);
  return model::median(std::move(medians));
}

void draw_levels(Grid& grid, const Scale& scale, const CellHistory& history) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= history.changes.size(); ++i) {
    const std::size_t end = i < history.changes.size() ? static_cast<std::size_t>(history.changes[i].index)
                                                       : history.points.size();
    const std::size_t row = scale.row_of(level_between(history.points, begin, end));
    for (std::size_t column = scale.column_of(begin); column <= scale.column_of(end - 1); ++column)
      grid.put(row, column, Mark::level);
    begin = end;
  }
}

// Draws the range of each entry's launch medians. With five launches, it contains the true median with a
// probability of 94 %.
void draw_ranges(Grid& grid, const Scale& scale, const CellHistory& history) {
  for (std::size_t i = 0; i < history.points.size(); ++i) {
    const HistoryPoint& point = history.points[i];
    if (point.launches < 2) continue;
    for (std::size_t row = scale.row_of(point.highest); row <= scale.row_of(point.lowest); ++row)
      grid.put(row, scale.column_of(i), Mark::range);
  }
}

Grid draw(const CellHistory& history, const Scale& scale) {
  Grid grid(scale);
  draw_levels(grid, scale, history);
  draw_ranges(grid, scale, history);
  for (const ChangePoint& change : history.changes) {
    for (std::size_t row = 0; row < scale.rows; ++row)
      grid.put(row, scale.column_of(static_cast<std::size_t>(change.index)), Mark::change);
  }
  for (std::size_t i = 0; i < history.points.size(); ++i)
    grid.put(scale.row_of(history.points[i].median), scale.column_of(i), Mark::point);
  return grid;
}

std::string glyph_of(Mark mark, const Glyphs& glyphs, bool colours) {
  switch (mark) {
    case Mark::level:
      return reporters::paint(glyphs.level, reporters::Colour::dim, colours);
    case Mark::range:
      return reporters::paint(glyphs.range, reporters::Colour::dim, colours);
    case Mark::change:
      return reporters::paint(glyphs.change, reporters::Colour::yellow, colours);
    case Mark::point:
      return glyphs.point;
    case Mark::nothing:
      break;
  }
  return " ";
}

void print_grid(std::ostream& out, const Grid& grid, const Scale& scale, const PlotOptions& options) {
  const Glyphs& glyphs = options.unicode ? unicode_glyphs : ascii_glyphs;
  const std::size_t used = scale.column_of(scale.points - 1) + 1;
  for (std::size_t row = 0; row < scale.rows; ++row) {
    const bool labelled = row % 3 == 0 || row + 1 == scale.rows;
    const std::string label = labelled ? reporters::format_seconds(scale.value_at(row)) : "";
    std::string line =
        reporters::right(label, label_width - 2) + " " + (labelled ? glyphs.tick : glyphs.axis) + " ";
    for (std::size_t column = 0; column < used; ++column)
      line += glyph_of(grid.at(row, column), glyphs, options.colours);
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

std::string date_of(const HistoryEntry& entry) {
  return reporters::one_line(entry.started_at.substr(0, 10));
}

std::string name_of(const HistoryEntry& entry) {
  std::string name = fmt::format("entry {}", entry.id);
  for (const std::string& part : {entry.label.branch, entry.label.commit.substr(0, 12), entry.label.label}) {
    if (!part.empty()) name += "  " + reporters::one_line(part);
  }
  return name;
}

std::string many(std::int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "entry" : "entries");
}

std::string text_of(const ChangePoint& change) {
  return fmt::format("{:+.1f} %", (change.ratio - 1) * 100);
}

void add_changes(reporters::Report& report, const CellHistory& history) {
  const auto add = [&](std::string text, reporters::Weight weight = reporters::Weight::normal) {
    report.closing.push_back({std::move(text), weight});
  };
  const auto count = static_cast<std::int64_t>(history.points.size());
  if (count < history.points_min)
    return add(fmt::format("{}: the search for a change needs at least {}", many(count), history.points_min));
  if (history.changes.empty()) add(fmt::format("no change in {} entries", count));
  for (const ChangePoint& change : history.changes) {
    const HistoryPoint& point = history.points[static_cast<std::size_t>(change.index)];
    add(fmt::format("{}  since {}  {}  p {:.3f}", reporters::right(text_of(change), 9), date_of(point.entry),
                    name_of(point.entry), change.p),
        change.ratio > 1 ? reporters::Weight::regression : reporters::Weight::good);
  }
  if (!history.correlation) return;
  add(fmt::format("correlation of neighbouring entries: {:.2f}{}", *history.correlation,
                  *history.correlation <= correlation_max
                      ? ""
                      : fmt::format(" (above {}, a found change may be chance)", correlation_max)));
}

reporters::Row row_of(const ChangedCell& changed) {
  const HistoryEntry& since = changed.since;
  reporters::Value change{
      .text = fmt::format("{:+.1f} %", (changed.ratio - 1) * 100),
      .value = changed.ratio,
      .weight = changed.ratio > 1 ? reporters::Weight::regression : reporters::Weight::good};
  reporters::Value p{.text = fmt::format("{:.3f}", changed.p), .value = changed.p};
  return {.values = {std::move(change), text_or_dash(date_of(since)), reporters::count_value(since.id),
                     text_or_dash(since.label.branch),
                     text_or_dash(since.label.commit.substr(0, commit_digits)),
                     text_or_dash(since.label.label), std::move(p), reporters::count_value(changed.changes),
                     reporters::text_value(changed.cell)}};
}

std::string cells_text(std::int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "cell" : "cells");
}

}  // namespace

reporters::Report report_of(const std::vector<HistoryEntry>& entries) {
  reporters::Report report;
  reporters::Section& section =
      report.sections.emplace_back(reporters::Section{.subject = "entries", .columns = entry_columns()});
  for (const HistoryEntry& entry : entries) section.rows.push_back(row_of(entry));
  return report;
}

reporters::Report report_of(const CellHistory& history) {
  reporters::Report report;
  if (history.points.empty()) return report;
  reporters::Section& section = report.sections.emplace_back(reporters::Section{
      .subject = history.cell,
      .detail = fmt::format("  {}  {}, {} to {}", name_of(history.metric),
                            many(static_cast<std::int64_t>(history.points.size())),
                            date_of(history.points.front().entry), date_of(history.points.back().entry)),
      .columns = entry_columns()});
  for (const char* name : {"median", "lowest", "highest"})
    section.columns.push_back({.name = name, .unit = "seconds"});
  for (const HistoryPoint& point : history.points) {
    reporters::Row& row = section.rows.emplace_back(row_of(point.entry));
    row.values.back() = reporters::count_value(point.launches);
    for (const double seconds : {point.median, point.lowest, point.highest})
      row.values.push_back(reporters::seconds_value(seconds));
  }
  for (const ChangePoint& change : history.changes)
    section.rows[static_cast<std::size_t>(change.index)].note = text_of(change);
  add_changes(report, history);
  const auto left_out = [&](const std::string& what, const char* how) {
    report.closing.push_back({"not shown: " + what + how});
  };
  if (history.left_out > 0)
    left_out(many(history.left_out), " with another environment or plan; --every-environment shows them");
  if (history.older > 0) left_out("the oldest " + many(history.older), "; --last N shows more");
  return report;
}

reporters::Report report_of(const ChangedCells& changed) {
  reporters::Report report;
  if (!changed.cells.empty()) {
    const auto word = [](const char* name) {
      return reporters::Column{.name = name, .align = reporters::Align::left};
    };
    reporters::Section& section = report.sections.emplace_back(
        reporters::Section{.subject = "changed cells",
                           .detail = fmt::format("  {}, newest change first", name_of(changed.metric)),
                           .columns = {{.name = "change", .unit = "ratio", .key = "ratio"},
                                       word("since"),
                                       {.name = "entry"},
                                       word("branch"),
                                       word("commit"),
                                       word("label"),
                                       {.name = "p"},
                                       {.name = "changes"},
                                       word("cell")}});
    for (const ChangedCell& each : changed.cells) section.rows.push_back(row_of(each));
  }
  const auto unchanged = changed.searched - static_cast<std::int64_t>(changed.cells.size());
  report.closing.push_back(
      {fmt::format("{} changed, {} not", cells_text(std::ssize(changed.cells)), unchanged)});
  if (changed.searched > 1)
    report.closing.push_back(
        {fmt::format("if nothing had changed, {:.2g} of {} series would show a change by chance",
                     changed.alpha * static_cast<double>(changed.searched), changed.searched),
         reporters::Weight::quiet});
  if (changed.too_short > 0)
    report.closing.push_back({fmt::format("{} with fewer than {} entries: too few to search",
                                          cells_text(changed.too_short), changed.points_min),
                              reporters::Weight::quiet});
  return report;
}

void print_history(std::ostream& out, const CellHistory& history, const PlotOptions& options) {
  reporters::Report report = report_of(history);
  if (report.sections.empty()) return;
  const reporters::Section& section = report.sections.front();
  out << reporters::paint(reporters::one_line(section.subject), reporters::Colour::bold, options.colours)
      << reporters::one_line(section.detail) << "\n\n";
  const Scale scale = scale_of(history, options);
  print_grid(out, draw(history, scale), scale, options);
  out << '\n';
  if (std::ranges::any_of(history.points, [](const HistoryPoint& point) { return point.launches > 1; }))
    out << reporters::paint("bars: from the lowest to the highest launch median", reporters::Colour::dim,
                            options.colours)
        << '\n';
  report.sections.clear();
  reporters::format_named("table").print(out, report, {.colours = options.colours});
}

}  // namespace graphbench::judge
