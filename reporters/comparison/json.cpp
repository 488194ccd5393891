// The comparison as a document, in the order of its schema; one cell a line, so that a large one is
// written as it goes and a small one reads well in a diff.
#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "reporters/comparison/faces.hpp"

namespace graphbench::reporters {
namespace {

using Json = nlohmann::ordered_json;

Json text(const std::string& value) {
  return value.empty() ? Json(nullptr) : Json(value);
}

// Bytes that are not UTF-8 (a path may hold them) are replaced by U+FFFD.
std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json side_of(const model::ComparisonSide& side) {
  return {
      {"source", side.source},
      {"documents", side.documents},
      {"complete", side.complete},
      {"tool",
       {{"name", side.tool_name}, {"version", text(side.tool_version)}, {"commit", text(side.tool_commit)}}},
      {"started_at", text(side.started_at)},
      {"device_kind", text(side.device_kind)},
      {"device_name", text(side.device_name)},
      {"driver", text(side.driver)},
      {"fingerprint", text(side.fingerprint)},
      {"plan_hash", text(side.plan_hash)},
      {"cells", side.cells},
      {"launches", {{"min", side.launches_min}, {"max", side.launches_max}}}};
}

Json settings_of(const model::ComparisonSettings& settings) {
  Json margins;
  Json floors;
  for (const model::Metric metric : model::all_metrics()) {
    margins[name_of(metric)] = settings.of(metric).margin;
    floors[name_of(metric)] = settings.of(metric).floor_seconds;
  }
  return {{"alpha", settings.alpha},
          {"margin", margins},
          {"floor_seconds", floors},
          {"strict", settings.strict},
          {"allow", settings.allow}};
}

Json difference_of(const model::Difference& difference) {
  return {{"field", difference.field},
          {"base", text(difference.base)},
          {"new", text(difference.now)},
          {"blocking", difference.blocking},
          {"allowed", difference.allowed}};
}

Json counts_of(const model::Comparison& comparison) {
  const model::ComparisonCounts& counts = comparison.counts;
  return {{"tests", comparison.tests},
          {"metrics",
           {{"slower", counts.slower},
            {"faster", counts.faster},
            {"inconclusive", counts.inconclusive},
            {"same", counts.same},
            {"lost", counts.metrics_lost},
            {"gained", counts.metrics_gained}}},
          {"cells",
           {{"compared", counts.compared},
            {"base_only", counts.base_only},
            {"new_only", counts.new_only},
            {"failed_now", counts.failed_now},
            {"skipped_now", counts.skipped_now},
            {"recovered", counts.recovered},
            {"neither", counts.neither},
            {"coverage_regressions", counts.coverage_regressions}}}};
}

// Cells are most of a large document, so they are written as they go: a tree of each costs five times as
// much.
using Buffer = fmt::memory_buffer;

template <typename... Arguments>
void add(Buffer& to, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(to), format, std::forward<Arguments>(arguments)...);
}

void add_string(Buffer& to, const std::string& value) {
  add(to, "{}", dump(value, -1));
}

// As `format` writes it, with a mark of its being no integer.
template <typename... Arguments>
void add_real(Buffer& to, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const std::size_t begin = to.size();
  add(to, format, std::forward<Arguments>(arguments)...);
  const std::string_view written(to.data() + begin, to.size() - begin);
  if (written.find_first_of(".e") == std::string_view::npos) add(to, ".0");
}

// Nine significant digits: the rest of a statistic is the rounding of the machine that computed it.
void add_number(Buffer& to, const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return add(to, "null");
  add_real(to, "{:.9g}", *value);
}

void add_metric(Buffer& to, const model::MetricComparison& metric) {
  add(to, R"({{"metric":"{}","verdict":"{}","base_seconds":)", name_of(metric.metric),
      name_of(metric.verdict));
  add_real(to, "{}", metric.base_seconds);
  add(to, R"(,"new_seconds":)");
  add_real(to, "{}", metric.new_seconds);
  add(to, R"(,"ratio":)");
  add_number(to, metric.ratio);
  if (metric.ratio_ci95_low && metric.ratio_ci95_high) {
    add(to, R"(,"ratio_ci95":[)");
    add_number(to, metric.ratio_ci95_low);
    add(to, ",");
    add_number(to, metric.ratio_ci95_high);
    add(to, "]");
  } else {
    add(to, R"(,"ratio_ci95":null)");
  }
  for (const auto& [name, value] : {std::pair("p", metric.p),
                                    {"q", metric.q},
                                    {"detectable", metric.detectable},
                                    {"margin", metric.margin}}) {
    add(to, R"(,"{}":)", name);
    add_number(to, value);
  }
  add(to, R"(,"base_launches":{},"new_launches":{},"paired":{})", metric.base_launches, metric.new_launches,
      metric.paired);
  if (!metric.why.empty()) {
    add(to, R"(,"why":)");
    add_string(to, metric.why);
  }
  add(to, "}}");
}

void add_names(Buffer& to, const char* key, const std::vector<model::Metric>& metrics) {
  if (metrics.empty()) return;
  const char* separator = "";
  add(to, R"(,"{}":[)", key);
  for (const model::Metric metric : metrics) {
    add(to, R"({}"{}")", separator, name_of(metric));
    separator = ",";
  }
  add(to, "]");
}

void add_cell(Buffer& to, const model::CellComparison& cell) {
  add(to, R"({{"id":)");
  add_string(to, cell.id);
  add(to, R"(,"coverage":"{}","regression":{})", name_of(cell.coverage), cell.regression);
  if (!cell.reason.empty()) {
    add(to, R"(,"reason":)");
    add_string(to, cell.reason);
  }
  add(to, R"(,"metrics":[)");
  const char* separator = "";
  for (const model::MetricComparison& metric : cell.metrics) {
    add(to, "{}", separator);
    add_metric(to, metric);
    separator = ",";
  }
  add(to, "]");
  add_names(to, "lost", cell.lost);
  add_names(to, "gained", cell.gained);
  add(to, "}}");
}

}  // namespace

void print_comparison_json(std::ostream& out, const model::Comparison& comparison, const FaceOptions&) {
  Json head;
  head["schema"] = "graphbench.comparison/1";
  head["comparable"] = comparison.comparable;
  head["passed"] = passed(comparison);
  head["verdict"] = comparison.comparable ? Json(name_of(comparison.verdict)) : Json(nullptr);
  head["headline"] = comparison.headline;
  head["base"] = side_of(comparison.base);
  head["new"] = side_of(comparison.now);
  head["settings"] = settings_of(comparison.settings);
  head["differences"] = Json::array();
  for (const model::Difference& difference : comparison.differences) {
    head["differences"].push_back(difference_of(difference));
  }
  head["counts"] = counts_of(comparison);
  std::string opening = dump(head, 2);
  opening.resize(opening.size() - 2);  // the closing "\n}"
  out << opening << ",\n  \"cells\": [";
  const char* separator = "\n    ";
  for (const model::CellComparison& cell : comparison.cells) {
    Buffer text;
    add_cell(text, cell);
    out << separator << std::string_view(text.data(), text.size());
    separator = ",\n    ";
  }
  out << (comparison.cells.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

}  // namespace graphbench::reporters
