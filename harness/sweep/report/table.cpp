// Prints the table of cells: modes side by side if the terminal is wide enough, else one line per mode.
#include "harness/sweep/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "graphs/base/text.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/statistics/metric_values.hpp"
#include "harness/model/vocabulary.hpp"
#include "reporters/format.hpp"

namespace graphbench::reporters {
namespace {

// These widths fit three modes into 120 columns, with a blank before the widest content.
constexpr int batch_width = 5;
constexpr int warmup_width = 3;
constexpr int time_width = 7;
constexpr int bytes_width = 8;
constexpr int short_width = 6;  // counts
constexpr int ratio_width = 7;  // with its mark
constexpr int interval_width = 10;
constexpr int mode_width = 11;
constexpr std::string_view bar = " |";

// A column after the gain, if a cell has an interval. Other formats write the interval next to the gain.
constexpr model::MetricRow gain_interval = {
    .name = "speedup_ci95",
    .kind = model::MetricKind::ratio,
    .unit = "ratio",
    .help = "The 95 % interval of speedup_over_eager.",
    .value = {.section = model::MetricSection::summary},
    .graphs_only = true,
    .column = "95 %",
    .column_help = "interval over launches",
};

int width_of(const model::MetricRow& row) {
  if (&row == &gain_interval) return interval_width;
  const int numbers = row.kind == model::MetricKind::time    ? time_width
                      : row.kind == model::MetricKind::bytes ? bytes_width
                      : row.kind == model::MetricKind::ratio ? ratio_width
                                                             : short_width;
  return std::max(numbers, static_cast<int>(model::heading_of(row).size()) + 1);
}

// A metric with `on_request` or `spare_column` gets a column only if at least one cell's value is not 0.
Columns columns_of(const model::Result& result, const TableOptions& options) {
  if (!options.columns.empty()) return options.columns;
  Columns columns = model::column_metrics();
  std::erase_if(columns, [&](const model::MetricRow* row) {
    return (row->on_request || row->spare_column) &&
           std::ranges::none_of(result.cells, [&](const model::CellResult& cell) {
             return statistics::value_of(*row, cell).value_or(0) != 0;
           });
  });
  const auto gain =
      std::ranges::find(columns, std::string_view("speedup_over_eager"), &model::MetricRow::name);
  const bool known = std::ranges::any_of(
      result.cells, [](const model::CellResult& cell) { return cell.summary.speedup_ci95_low.has_value(); });
  if (known && gain != columns.end()) columns.insert(std::next(gain), &gain_interval);
  return columns;
}

Columns columns_of(const Columns& columns, std::string_view mode) {
  Columns own;
  std::ranges::copy_if(columns, std::back_inserter(own),
                       [&](const model::MetricRow* row) { return in_group(*row, mode); });
  return own;
}

int group_width(const Columns& columns, std::string_view mode) {
  int width = 0;
  for (const model::MetricRow* row : columns_of(columns, mode)) width += width_of(*row);
  return width;
}

struct Row {
  std::int64_t batch = 0;
  std::int64_t warmup = 0;
  std::vector<const model::CellResult*> cells;  // one per mode of the plan; null: no such cell in the plan
};

struct TableSection {
  const model::Cell* first = nullptr;
  std::vector<Row> rows;
};

// Orders sections and rows by their first cell in the plan.
std::vector<TableSection> arrange(const model::Result& result, const std::vector<std::string>& modes) {
  std::vector<TableSection> sections;
  for (const auto& cells : model::sections_of(result.cells)) {
    TableSection& section = sections.emplace_back(TableSection{&cells.front()->cell, {}});
    for (const model::CellResult* each : cells) {
      const model::Cell& cell = each->cell;
      auto row = std::ranges::find_if(
          section.rows, [&](const Row& r) { return r.batch == cell.batch && r.warmup == cell.warmup; });
      if (row == section.rows.end()) {
        row = section.rows.insert(
            row, Row{cell.batch, cell.warmup, std::vector<const model::CellResult*>(modes.size(), nullptr)});
      }
      const auto mode = std::find(modes.begin(), modes.end(), cell.mode) - modes.begin();
      row->cells[static_cast<std::size_t>(mode)] = each;
    }
  }
  return sections;
}

std::string reason_of(const model::CellResult& cell, int width) {
  if (cell.status == model::CellStatus::pending) return right("not run", width);
  const bool failed = cell.status == model::CellStatus::failed;
  const std::string code = cell.reason ? cell.reason->code : std::string("no reason");
  return right((failed ? " failed " : " skipped ") + one_line(code), width);
}

std::string text_of(const model::MetricRow& row, double value) {
  switch (row.kind) {
    case model::MetricKind::time:
      return format_seconds(value);
    case model::MetricKind::ratio:
      return format_ratio(value);
    case model::MetricKind::bytes:
      return format_bytes(static_cast<std::int64_t>(value));
    case model::MetricKind::count:
    case model::MetricKind::rate:
      break;
  }
  return format_count(value);
}

struct Gain {
  double ratio;
  std::optional<double> low;
  std::optional<double> high;
  bool of_two_programs;

  bool may_be_none() const { return model::may_be_no_gain(low, high); }
};

std::optional<Gain> gain_of(const model::MetricRow& row, const model::CellResult& cell) {
  const model::CellSummary& sum = cell.summary;
  const bool of_two_programs = cell.records && model::is_other_program(*cell.records);
  if (row.name == "speedup_over_eager" && sum.speedup_over_eager)
    return Gain{*sum.speedup_over_eager, sum.speedup_ci95_low, sum.speedup_ci95_high, of_two_programs};
  if (row.name == "throughput_over_eager" && sum.throughput_over_eager)
    return Gain{*sum.throughput_over_eager, sum.throughput_ci95_low, sum.throughput_ci95_high,
                of_two_programs};
  return std::nullopt;
}

// "~" marks a gain without an interval, "?" a gain whose interval contains 1. "*" replaces "x" if the cell
// and its eager cell ran different kernels.
std::string text_of(const Gain& gain) {
  std::string number = format_ratio(gain.ratio);
  if (gain.of_two_programs) number.back() = '*';
  if (!gain.low) return "~" + number;
  return gain.may_be_none() ? number + "?" : number;
}

// The text if there is no break-even: "never", "-" (eager was not swept), or "?" (undecided).
std::string_view mark_of(const model::CellSummary& summary) {
  if (!summary.no_breakeven || summary.no_breakeven == model::NoBreakeven::eager_not_swept) return "-";
  return summary.no_breakeven == model::NoBreakeven::never && summary.speedup_ci95_low ? "never" : "?";
}

// "1.23-1.42": three digits, so that the interval fits into its column.
std::string interval_of(const model::CellSummary& summary) {
  if (!summary.speedup_ci95_low) return "-";
  const int digits = *summary.speedup_ci95_high < 9.995 ? 2 : *summary.speedup_ci95_high < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}-{:.{}f}", *summary.speedup_ci95_low, digits, *summary.speedup_ci95_high,
                     digits);
}

std::string number_of(const model::MetricRow& row, const model::CellResult& cell, bool colours) {
  const std::string text = right(shown(row, cell), width_of(row));
  const std::optional<Gain> gain = gain_of(row, cell);
  if (!gain) return text;
  if (gain->may_be_none()) return paint(text, Colour::dim, colours);
  return paint(text, gain->ratio >= 1 ? Colour::green : Colour::red, colours);
}

// The texts of a mode's columns in one row; blank for a column that the mode does not have.
std::string group_of(const Columns& columns, const model::CellResult* cell, std::string_view mode,
                     bool colours) {
  const int width = group_width(columns, mode);
  if (cell == nullptr) return right("", width);
  if (cell->status != model::CellStatus::ok) {
    const bool failed = cell->status == model::CellStatus::failed;
    return paint(reason_of(*cell, width), failed ? Colour::red : Colour::yellow, colours);
  }
  std::string group;
  std::string blank;
  for (const model::MetricRow* row : columns) {
    if (in_group(*row, mode)) {
      group += std::exchange(blank, "") + number_of(*row, *cell, colours);
    } else {
      blank += right("", width_of(*row));
    }
  }
  return group;
}

std::string column_names(const Columns& columns, std::string_view mode) {
  std::string names;
  for (const model::MetricRow* row : columns_of(columns, mode))
    names += right(model::heading_of(*row), width_of(*row));
  return names;
}

// Does not cut numbers: a batch of six digits makes its row wider, but stays readable.
std::string number_in(std::int64_t number, int width) {
  const std::string digits = std::to_string(number);
  return right(digits, std::max(width, static_cast<int>(digits.size())));
}

std::string row_head(const Row& row) {
  return number_in(row.batch, batch_width) + number_in(row.warmup, warmup_width);
}

void print_wide_head(std::ostream& out, const std::vector<std::string>& modes, const Columns& columns,
                     bool colours) {
  std::string names = right("batch", batch_width) + right("W", warmup_width);
  out << right("", batch_width + warmup_width);
  for (const std::string& mode : modes) {
    const int width = mode == modes.back() ? static_cast<int>(mode.size()) + 1 : group_width(columns, mode);
    out << bar << paint(left(" " + mode, width), Colour::bold, colours);
    names += std::string(bar) + column_names(columns, mode);
  }
  out << '\n' << paint(names, Colour::dim, colours) << '\n';
}

void print_wide(std::ostream& out, const TableSection& section, const std::vector<std::string>& modes,
                const Columns& columns, bool colours) {
  for (const Row& row : section.rows) {
    out << row_head(row);
    for (std::size_t i = 0; i < modes.size(); ++i)
      out << bar << group_of(columns_of(columns, modes[i]), row.cells[i], modes[i], colours);
    out << '\n';
  }
}

void print_narrow(std::ostream& out, const TableSection& section, const std::vector<std::string>& modes,
                  const Columns& columns, bool colours) {
  int width = mode_width;
  for (const std::string& mode : modes) width = std::max(width, static_cast<int>(mode.size()) + 2);
  const std::string names = right("batch", batch_width) + right("W", warmup_width) + left("  mode", width) +
                            column_names(columns, "whole");
  out << paint(names, Colour::dim, colours) << '\n';
  for (const Row& row : section.rows) {
    for (std::size_t i = 0; i < modes.size(); ++i) {
      if (row.cells[i] == nullptr) continue;
      out << row_head(row) << left("  " + modes[i], width)
          << group_of(columns, row.cells[i], modes[i], colours) << '\n';
    }
  }
}

std::string legend(const Columns& columns, int columns_of_terminal) {
  const auto width = static_cast<std::size_t>(std::clamp(columns_of_terminal, 92, 118));
  std::string text;
  std::string line;
  const auto add = [&](const std::string& entry) {
    if (!line.empty() && line.size() + 3 + entry.size() > width) text += std::exchange(line, "") + "\n";
    line += (line.empty() ? "" : "   ") + entry;
  };
  bool warmups = false;
  for (const model::MetricRow* row : columns) {
    // W is explained after the columns that all modes have.
    if (!warmups && !in_group(*row, "eager")) {
      add("W: warmups");
      warmups = true;
    }
    add(std::string(model::heading_of(*row)) + ": " +
        std::string(row->column.empty() ? row->help : row->column_help));
    if (row->column == "even") add("even ?: unknown   even -: eager was not swept");
  }
  if (!warmups) add("W: warmups");
  return text + line + "\n";
}

void print_heading(std::ostream& out, const model::Cell& cell, bool colours) {
  out << paint(one_line(cell.workload), Colour::bold, colours);
  if (cell.preset == model::of_its_own) {
    out << "  its own preset, dtype and pass";
  } else {
    out << "  preset " << one_line(cell.preset) << ", " << one_line(cell.dtype) << ", "
        << one_line(cell.pass);
  }
  for (const auto& [axis, value] : cell.more_axes) out << ", " << one_line(axis) << " " << one_line(value);
  out << '\n';
}

int wide_table(const Columns& columns, const std::vector<std::string>& modes) {
  int width = batch_width + warmup_width;
  for (const std::string& mode : modes) width += group_width(columns, mode) + static_cast<int>(bar.size());
  return width;
}

int narrow_table(const Columns& columns) {
  return batch_width + warmup_width + mode_width + group_width(columns, "whole");
}

// Drops columns that have MetricRow::spare_column, the last one first, until the table fits the width.
Columns fitting(Columns columns, const std::vector<std::string>& modes, const TableOptions& options) {
  if (!options.columns.empty()) return columns;
  const int width = options.width;
  const auto is_spare = [](const model::MetricRow* row) { return row->spare_column; };
  Columns fewer = columns;
  std::erase_if(fewer, is_spare);
  const bool side_by_side = wide_table(fewer, modes) <= width;
  const auto needed = [&] { return side_by_side ? wide_table(columns, modes) : narrow_table(columns); };
  while (needed() > width) {
    const auto spare = std::find_if(columns.rbegin(), columns.rend(), is_spare);
    if (spare == columns.rend()) break;
    columns.erase(std::prev(spare.base()));
  }
  return columns;
}

}  // namespace

bool in_group(const model::MetricRow& row, std::string_view mode) {
  return model::is_graph_mode(mode) || !(row.graphs_only || section_of(row) == model::MetricSection::summary);
}

std::vector<std::string> modes_of(const model::Result& result) {
  std::vector<std::string> modes;
  for (const model::CellResult& cell : result.cells) {
    if (!contains(modes, cell.cell.mode)) modes.push_back(cell.cell.mode);
  }
  return modes;
}

std::string shown(const model::MetricRow& row, const model::CellResult& cell) {
  if (&row == &gain_interval) return interval_of(cell.summary);
  if (const std::optional<Gain> gain = gain_of(row, cell)) return text_of(*gain);
  if (const std::optional<double> value = statistics::value_of(row, cell)) return text_of(row, *value);
  return std::string(row.name == "breakeven_steps" ? mark_of(cell.summary) : "-");
}

void print_table(std::ostream& out, const model::Result& result, const TableOptions& options) {
  const model::DeviceFacts& device = result.environment.device;
  const std::vector<std::string> modes = modes_of(result);
  const Columns columns = fitting(columns_of(result, options), modes, options);
  const bool wide = wide_table(columns, modes) <= options.width;
  Columns explained = columns;
  if (wide) {  // a table without graphs has none of their columns
    std::erase_if(explained, [&](const model::MetricRow* row) {
      return std::ranges::none_of(modes, [&](const std::string& mode) { return in_group(*row, mode); });
    });
  }
  out << "device " << one_line(device.kind) << ": " << one_line(device.name) << "; every number is a median\n"
      << legend(explained, options.width) << '\n';
  // Repeats the head before a section that would exceed this many rows below the last head.
  constexpr std::size_t rows_below_head = 40;
  std::size_t rows = rows_below_head;
  for (const TableSection& section : arrange(result, modes)) {
    print_heading(out, *section.first, options.colours);
    if (wide) {
      if (rows + section.rows.size() > rows_below_head) {
        print_wide_head(out, modes, columns, options.colours);
        rows = 0;
      }
      print_wide(out, section, modes, columns, options.colours);
    } else {
      print_narrow(out, section, modes, columns, options.colours);
    }
    rows += section.rows.size();
  }
  const std::string floors = floor_line(result.cells);
  if (!floors.empty()) out << paint(floors, Colour::dim, options.colours) << '\n';
  print_walks(out, result, options);
  print_troubles(out, result, options);
  print_closing(out, result, options);
}

}  // namespace graphbench::reporters
