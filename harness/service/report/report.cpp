// Puts documents into the page, as JSON for its script and as plain HTML for readers without scripts.
#include "harness/service/report/report.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/service/report/contents.hpp"
#include "harness/sweep/report/result_report.hpp"
#include "reporters/report.hpp"

namespace graphbench::service {
namespace {

using nlohmann::json;

std::string printed(const reporters::Report& report) {
  std::ostringstream out;
  reporters::print_html(out, report);
  return std::move(out).str();
}

std::string result_html(const model::Result& result, const json& lists) {
  reporters::Report report = sweep::report_of(result);
  report.head.clear();
  report.title.text = "Sweep of " + result.started_at + " on " + result.environment.device.name;
  if (lists.is_object()) {
    for (const json& each : lists.value("conclusions", json::array()))
      report.conclusions.push_back(
          {.subject = each.at("subject").get<std::string>(), .verdict = each.at("text").get<std::string>()});
  }
  if (const std::size_t count = result.cells.size(); count > plain_cells_max) {
    std::erase_if(report.sections, [](const reporters::Section& each) { return each.across.has_value(); });
    report.closing.push_back(
        {fmt::format("{} cells have no table here: allow JavaScript to see them", count)});
  }
  return "<h2>The sweep</h2>\n" + printed(report);
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
std::string policy_of(const Page& page) {
  std::vector<std::string> directives = split(std::string(page.policy), ';');
  std::erase_if(directives, [](const std::string& each) {
    return each.find("connect-src") != std::string::npos || each.find("frame-ancestors") != std::string::npos;
  });
  return join(directives, ";");
}

}  // namespace

std::string to_html(const Contents& contents) {
  std::string html;
  if (contents.comparison) html += "<h2>What changed</h2>\n" + printed(*contents.comparison);
  if (contents.result) html += result_html(*contents.result, contents.lists);
  for (const reporters::Report& series : contents.series)
    html += "<h2>What was found over time</h2>\n" + printed(series);
  return html;
}

std::string make_report(const Page& page, const std::vector<NamedText>& documents) try {
  if (page.html.empty()) throw Error(ErrorCode::unsupported, no_page);
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

}  // namespace graphbench::service
