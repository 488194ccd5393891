// The comparison as a document, in the order of its schema; one cell a line, so that a large one is
// written as it goes and a small one reads well in a diff.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>

#include "reporters/comparison/faces.hpp"

namespace graphbench::reporters {
namespace {

using Json = nlohmann::ordered_json;

Json text(const std::string& value) {
  return value.empty() ? Json(nullptr) : Json(value);
}

// Nine significant digits: the rest of a statistic is the rounding of the machine that computed it.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return std::strtod(text, nullptr);
}

Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(rounded(*value)) : Json(nullptr);
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
  for (const model::Metric metric : model::all_metrics) {
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

Json metric_of(const model::MetricComparison& metric) {
  Json interval = nullptr;
  if (metric.ratio_ci95_low && metric.ratio_ci95_high) {
    interval = Json::array({rounded(*metric.ratio_ci95_low), rounded(*metric.ratio_ci95_high)});
  }
  Json json = {{"metric", name_of(metric.metric)},
               {"verdict", name_of(metric.verdict)},
               {"base_seconds", metric.base_seconds},
               {"new_seconds", metric.new_seconds},
               {"ratio", rounded(metric.ratio)},
               {"ratio_ci95", interval},
               {"p", number(metric.p)},
               {"q", number(metric.q)},
               {"detectable", number(metric.detectable)},
               {"margin", rounded(metric.margin)},
               {"base_launches", metric.base_launches},
               {"new_launches", metric.new_launches},
               {"paired", metric.paired}};
  if (!metric.why.empty()) json["why"] = metric.why;
  return json;
}

Json names_of(const std::vector<model::Metric>& metrics) {
  Json names = Json::array();
  for (const model::Metric metric : metrics) names.push_back(name_of(metric));
  return names;
}

Json cell_of(const model::CellComparison& cell) {
  Json json = {{"id", cell.id}, {"coverage", name_of(cell.coverage)}, {"regression", cell.regression}};
  if (!cell.reason.empty()) json["reason"] = cell.reason;
  json["metrics"] = Json::array();
  for (const model::MetricComparison& metric : cell.metrics) json["metrics"].push_back(metric_of(metric));
  if (!cell.lost.empty()) json["lost"] = names_of(cell.lost);
  if (!cell.gained.empty()) json["gained"] = names_of(cell.gained);
  return json;
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
    out << separator << dump(cell_of(cell), -1);
    separator = ",\n    ";
  }
  out << (comparison.cells.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

}  // namespace graphbench::reporters
