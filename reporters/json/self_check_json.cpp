// Field by field; reporters/schema/selfcheck.schema.json describes them.
#include "reporters/json/self_check_json.hpp"

#include <nlohmann/json.hpp>

#include "reporters/json/instruments_json.hpp"

namespace graphbench::reporters {
namespace {

using Json = nlohmann::ordered_json;

Json count(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json alarms_of(const model::AlarmCount& alarms) {
  return {{"comparisons", alarms.comparisons}, {"slower", alarms.slower}, {"faster", alarms.faster}};
}

Json metric_of(const model::MetricCheck& metric) {
  return {{"metric", name_of(metric.metric)},
          {"cells", metric.cells},
          {"tests", metric.tests},
          {"slower", metric.slower},
          {"faster", metric.faster},
          {"same", metric.same},
          {"inconclusive", metric.inconclusive},
          {"margin", number(metric.margin)},
          {"pair_spread", {{"median", number(metric.spread_median)}, {"worst", number(metric.spread_worst)}}},
          {"detectable",
           {{"median", number(metric.detectable_median)},
            {"worst", number(metric.detectable_worst)},
            {"worst_cell", text(metric.worst_cell)}}},
          {"launches_needed",
           {{"median", count(metric.launches_median)}, {"worst", count(metric.launches_worst)}}}};
}

}  // namespace

std::string to_json(const model::SelfCheck& check) {
  Json json = {{"schema", "graphbench.selfcheck/1"},
               {"tool", {{"version", check.tool_version}, {"commit", check.tool_commit}}},
               {"started_at", check.started_at},
               {"finished_at", check.finished_at},
               {"device", check.device_name},
               {"fingerprint", check.fingerprint},
               {"plan", check.plan_hash},
               {"rounds", check.rounds},
               {"rounds_asked", check.rounds_asked},
               {"launches", check.launches},
               {"cells", check.cells},
               {"cells_failed", check.cells_failed},
               {"alpha", number(check.settings.alpha)},
               {"alarms",
                {{"measured", alarms_of(check.measured)},
                 {"renamed", alarms_of(check.renamed)},
                 {"slower_rate_max", number(check.slower_rate_max)}}},
               {"metrics", Json::array()}};
  for (const model::MetricCheck& metric : check.metrics) json["metrics"].push_back(metric_of(metric));
  return dump(json, 2) + "\n";
}

}  // namespace graphbench::reporters
