// Puts documents into the page, as JSON for its script and as plain tables for readers without scripts.
#include "harness/service/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/findings/findings.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/statistics/metric_values.hpp"
#include "harness/service/report/contents.hpp"
#include "harness/sweep/report/result_report.hpp"
#include "reporters/format.hpp"

namespace graphbench::report {
namespace {

using nlohmann::json;

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&' || c == '"') {
      safe += fmt::format("&#{};", static_cast<int>(c));
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string item(const std::string& text) {
  return "<li>" + escaped(text) + "\n";
}

// Leaves out </td>, as HTML allows, because a report may have thousands of cells.
std::string row_of(const std::vector<std::string>& texts, const char* tag = "<td>") {
  std::string row = "<tr>";
  for (const std::string& text : texts) row += tag + escaped(text);
  return row + "\n";
}

std::string table_of_cells(const reporters::Report& report, std::size_t count) {
  if (count > plain_cells_max)
    return fmt::format("<p>{} cells have no table here: allow JavaScript to see them.</p>\n", count);
  std::string table = "<table>\n";
  for (const reporters::Section& section : report.sections) {
    if (!section.across) continue;
    const auto& columns = section.columns;
    const auto is_here = [&](std::size_t i) {
      return i <= 0 || columns[i].name == "status" ||
             (i > *section.across && columns[i].shown != reporters::Shown::as_data);
    };
    std::vector<std::string> head;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (is_here(i)) head.push_back(i == 0 ? "cell" : columns[i].name);
    }
    if (&section == &report.sections.front()) table += row_of(head, "<th scope=\"col\">");
    for (const reporters::Row& row : section.rows) {
      if (row.repeated) continue;
      std::vector<std::string> texts;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (is_here(i)) texts.push_back(row.values[i].text);
      }
      table += row_of(texts);
    }
  }
  return table + "</table>\n";
}

std::string result_html(const model::Result& result, const json& lists) {
  const reporters::Report report = reporters::report_of(result);
  std::string html = "<h2>" +
                     escaped("Sweep of " + result.started_at + " on " + result.environment.device.name) +
                     "</h2>\n<ul>\n";
  for (const reporters::Sentence& each : report.conclusions) html += item(each.lead + ": " + each.text);
  for (const json& each : lists.is_object() ? lists.value("conclusions", json::array()) : json::array())
    html += item(each.at("subject").get<std::string>() + ": " + each.at("text").get<std::string>());
  for (const reporters::Sentence& each : report.closing)
    html += item((each.lead.empty() ? "" : each.lead + ": ") + each.text);
  return html + "</ul>\n" + table_of_cells(report, result.cells.size());
}

std::vector<std::string> change_of(const std::string& name, const model::MetricComparison& metric) {
  return {name + " " + name_of(metric.metric),
          reporters::format_seconds(metric.base_seconds),
          reporters::format_seconds(metric.new_seconds),
          fmt::format("{:.3f}x", metric.ratio),
          metric.ratio_ci95_low && metric.ratio_ci95_high
              ? fmt::format("[{:.3f}, {:.3f}]", *metric.ratio_ci95_low, *metric.ratio_ci95_high)
              : "-",
          name_of(metric.verdict)};
}

std::string comparison_html(const model::Comparison& comparison) {
  std::string html =
      "<h2>What changed</h2>\n<p>" + escaped(comparison.headline) + "</p>\n<table>\n" +
      row_of({"", "BASE", "NEW", "NEW over BASE", "95 % interval", "verdict"}, "<th scope=\"col\">");
  for (const model::MeanComparison& mean : comparison.means)
    html += row_of(change_of(mean.mode, mean.metric));
  for (const model::CellComparison& cell : comparison.cells) {
    for (const model::MetricComparison& metric : cell.metrics) {
      if (metric.verdict != model::Verdict::same) html += row_of(change_of(cell.id, metric));
    }
  }
  return html + "</table>\n";
}

std::string series_html(const model::CellHistory& series) {
  std::string html = "<h2>" + escaped(series.cell) + ", " + escaped(name_of(series.metric)) + "</h2>\n<ul>\n";
  for (const model::ChangePoint& change : series.changes)
    html += item(fmt::format("changed {:.3f}x at {}", change.ratio,
                             series.points.at(static_cast<std::size_t>(change.index)).entry.started_at));
  html += "</ul>\n<table>\n" + row_of({"date", "median", "lowest", "highest"}, "<th scope=\"col\">");
  for (const model::HistoryPoint& point : series.points)
    html += row_of({point.entry.started_at, reporters::format_seconds(point.median),
                    reporters::format_seconds(point.lowest), reporters::format_seconds(point.highest)});
  return html + "</table>\n";
}

// Replaces the page's text between the marks `begin` and `end`. Throws if the page does not have them.
void fill(std::string& page, std::string_view begin, std::string_view end, const std::string& text) {
  const std::size_t from = page.find(begin);
  const std::size_t to = from == std::string::npos ? from : page.find(end, from + begin.size());
  if (to == std::string::npos)
    throw Error(ErrorCode::internal, "make a report: the page has no " + std::string(begin));
  page.replace(from + begin.size(), to - from - begin.size(), text);
}

// Removes connect-src, because a file has no service, and frame-ancestors, which browsers ignore in <meta>.
std::string policy_of(const serve::Page& page) {
  std::vector<std::string> directives = split(std::string(page.policy), ';');
  std::erase_if(directives, [](const std::string& each) {
    return each.find("connect-src") != std::string::npos || each.find("frame-ancestors") != std::string::npos;
  });
  return join(directives, ";");
}

}  // namespace

std::string to_html(const Contents& contents) {
  std::string html;
  if (contents.comparison) html += comparison_html(*contents.comparison);
  if (contents.result) html += result_html(*contents.result, contents.lists);
  for (const model::CellHistory& series : contents.series) html += series_html(series);
  return html;
}

std::string make_report(const serve::Page& page, const std::vector<NamedText>& documents) try {
  if (page.html.empty()) throw Error(ErrorCode::unsupported, serve::no_page);
  const Contents contents = read_contents(documents);
  std::string html(page.html);
  fill(html, "<body", ">", " class=\"report\"");
  fill(html, "<noscript>", "</noscript>", "<main><section>" + to_html(contents) + "</section></main>");
  fill(html, "<!--POLICY", "-->",
       "--><meta http-equiv=\"Content-Security-Policy\" content=\"" + policy_of(page) + "\"><!--");
  fill(html, "<!--DOCUMENTS", "-->",
       "--><script type=\"application/json\" id=\"documents\">" + to_json(contents) + "</script><!--");
  return html;
} catch (const json::exception& error) {
  throw InputError(join(documents, ", ", &NamedText::source),
                   std::string("not a complete graphbench document: ") + error.what());
}

}  // namespace graphbench::report
