// Prints a result for other programs: Markdown for web pages and pull requests, CSV for spreadsheets.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/findings/findings.hpp"
#include "harness/model/statistics/metric_values.hpp"
#include "harness/sweep/report/table.hpp"
#include "reporters/format.hpp"

namespace graphbench::reporters {
namespace {

// Escapes Markdown and HTML, because the names come from the document and must appear as plain text.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : one_line(text)) {
    const bool plain = std::string_view("|<>&`*[]@#~\\").find(c) == std::string_view::npos;
    safe += plain ? std::string(1, c) : fmt::format("&#{};", static_cast<int>(c));
  }
  return safe;
}

// The axes that a row's name shows besides workload and batch: later axes, and other axes that have several
// values. It never shows the mode, because modes are columns.
std::set<std::string> axes_that_differ(const model::Result& result) {
  std::map<std::string, std::set<std::string>> values;
  for (const model::CellResult& cell : result.cells) {
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

const std::optional<model::Estimate>* estimate_of(const model::MetricRow& row,
                                                  const model::CellResult& cell) {
  return row.estimate == nullptr ? nullptr : &(cell.summary.*row.estimate);
}

std::string with_interval(const model::MetricRow& row, const model::CellResult& cell) {
  std::string text = shown(row, cell);
  const std::optional<model::Estimate>* estimate = estimate_of(row, cell);
  if (estimate == nullptr || !*estimate || !(*estimate)->ci95_low || !(*estimate)->ci95_high) return text;
  const double half = (*(*estimate)->ci95_high - *(*estimate)->ci95_low) / 2;
  return text + fmt::format(" ±{:.1g} %", 100 * half / (*estimate)->p50);
}

std::string of_mode(const model::CellResult* cell, const std::string& mode, const Columns& columns) {
  std::string text;
  bool said = false;
  for (const model::MetricRow* row : columns) {
    if (!in_group(*row, mode)) continue;
    const bool ok = cell != nullptr && cell->status == model::CellStatus::ok;
    const bool why = cell != nullptr && !ok && !std::exchange(said, true);
    text += " " +
            (ok    ? with_interval(*row, *cell)
             : why ? escaped(cell->reason ? cell->reason->code : "not measured")
                   : "") +
            " |";
  }
  return text;
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

bool any_has(const model::Result& result, const model::MetricRow& row) {
  return std::ranges::any_of(result.cells, [&](const model::CellResult& cell) {
    return statistics::value_of(row, cell).has_value();
  });
}

}  // namespace

void print_result_markdown(std::ostream& out, const model::Result& result, const Columns& columns) {
  const std::vector<std::string> modes = modes_of(result);
  const std::set<std::string> differ = axes_that_differ(result);
  std::vector<std::pair<std::string, std::map<std::string, const model::CellResult*>>> rows;
  std::map<std::string, std::size_t> places;
  for (const model::CellResult& cell : result.cells) {
    const std::string name = row_name(cell.cell, differ);
    const auto [place, is_new] = places.emplace(name, rows.size());
    if (is_new) rows.emplace_back(name, std::map<std::string, const model::CellResult*>());
    rows[place->second].second[cell.cell.mode] = &cell;
  }
  std::string head = "|  |";
  std::string rule = "| --- |";
  for (const std::string& mode : modes) {
    for (const model::MetricRow* row : columns) {
      if (!in_group(*row, mode)) continue;
      head += " " + escaped(mode + " " + std::string(model::heading_of(*row))) + " |";
      rule += " --- |";
    }
  }
  for (const model::Conclusion& conclusion : model::conclusions_of(result))
    out << "- **" << escaped(conclusion.subject) << "**: " << escaped(conclusion.text) << '\n';
  out << '\n' << head << '\n' << rule << '\n';
  for (const auto& [name, cells] : rows) {
    out << "| " << escaped(name) << " |";
    for (const std::string& mode : modes) {
      const auto found = cells.find(mode);
      out << of_mode(found == cells.end() ? nullptr : found->second, mode, columns);
    }
    out << '\n';
  }
}

void print_result_csv(std::ostream& out, const model::Result& result, const Columns& asked) {
  Columns columns = asked;
  if (columns.empty()) {
    for (const model::MetricRow& row : model::metrics()) {
      if (any_has(result, row)) columns.push_back(&row);
    }
  }
  std::string head = "id";
  std::vector<std::string> axes;
  for (const model::Axis& axis : model::axes()) {
    const bool used = std::ranges::any_of(
        result.cells, [&](const model::CellResult& cell) { return cell.cell.more_axes.contains(axis.name); });
    if (axis.came_later() && !used) continue;
    axes.push_back(axis.name);
    head += "," + axis.name;
  }
  head += ",status,reason";
  for (const model::MetricRow* row : columns) {
    const std::string path = model::path_of(*row);
    head += "," + path + (row->estimate == nullptr ? "" : "," + path + ".ci95_low," + path + ".ci95_high");
  }
  out << head << '\n';
  for (const model::CellResult& cell : result.cells) {
    const auto values = model::axis_values(cell.cell);
    std::string line = csv_field(model::id_of(cell.cell));
    for (const std::string& axis : axes) {
      const auto found = std::ranges::find(values, axis, &std::pair<std::string, std::string>::first);
      line += "," + csv_field(found != values.end() ? found->second : model::axis_named(axis).fallback);
    }
    line += "," + std::string(model::name_of(cell.status)) + "," +
            csv_field(cell.reason ? cell.reason->code : "");
    for (const model::MetricRow* row : columns) {
      line += "," + number(statistics::value_of(*row, cell));
      const std::optional<model::Estimate>* estimate = estimate_of(*row, cell);
      if (estimate == nullptr) continue;
      line += "," + number(*estimate ? (*estimate)->ci95_low : std::nullopt);
      line += "," + number(*estimate ? (*estimate)->ci95_high : std::nullopt);
    }
    out << line << '\n';
  }
}

}  // namespace graphbench::reporters
