// Hands the launch medians to harness/measure, so that there is one definition of a summary.
#include "harness/verdict/ab/merge_summary.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/statistics/cell_summary.hpp"
#include "harness/statistics/quantiles.hpp"
#include "harness/statistics/submit_floor.hpp"

namespace graphbench::ab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* estimated[] = {"submit_seconds", "latency_seconds", "device_seconds"};

std::optional<double> real_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

std::optional<model::Summary> summary_of(const Json& launch, const char* key) {
  const auto found = launch.find(key);
  if (found == launch.end() || !found->is_object()) return std::nullopt;
  model::Summary summary;
  summary.p50 = real_of(*found, "p50").value_or(0);
  return summary;
}

model::Launch launch_of(const Json& json) {
  model::Launch launch;
  launch.submit_seconds = summary_of(json, "submit_seconds");
  launch.latency_seconds = summary_of(json, "latency_seconds");
  launch.device_seconds = summary_of(json, "device_seconds");
  if (const auto setup = json.find("setup"); setup != json.end() && setup->is_object()) {
    launch.setup.capture_seconds = real_of(*setup, "capture_seconds").value_or(0);
    launch.setup.instantiate_seconds = real_of(*setup, "instantiate_seconds").value_or(0);
    launch.setup.upload_seconds = real_of(*setup, "upload_seconds").value_or(0);
  }
  return launch;
}

model::CellResult result_of(const Json& json) {
  model::CellResult result;
  result.cell = {json.at("workload"), json.at("preset"), json.at("dtype"), json.at("pass"),
                 json.at("batch"),    json.at("warmup"), json.at("mode")};
  result.status = json.at("status") == "ok" ? model::CellStatus::ok : model::CellStatus::failed;
  for (const Json& launch : json.at("launches")) result.launches.push_back(launch_of(launch));
  if (const auto graph = json.find("graph"); graph != json.end() && graph->is_object()) {
    model::GraphCounts& counts = result.graph.emplace();
    counts.pieces = graph->value("pieces", std::int64_t{0});
    counts.eager_ops = graph->value("eager_ops", std::int64_t{0});
  }
  return result;
}

// The median of one field over the launches' own summaries.
std::optional<double> own_median(const LaunchSummaries& summaries, const char* metric, const char* key) {
  std::vector<double> values;
  for (const Json& summary : summaries) {
    const Json& place = metric == nullptr ? summary : summary.value(metric, Json());
    if (!place.is_object()) continue;
    if (const auto value = real_of(place, key)) values.push_back(*value);
  }
  // What most launches have no word on has no median.
  return 2 * values.size() < summaries.size() ? std::nullopt : statistics::median_or_absent(values);
}

Json estimate_of(const std::optional<model::Estimate>& estimate, const std::optional<double>& within) {
  if (!estimate) return nullptr;
  Json interval;
  if (estimate->ci95_low && estimate->ci95_high) interval = {*estimate->ci95_low, *estimate->ci95_high};
  return {{"p50", estimate->p50},
          {"ci95", interval},
          {"between_launches", number(estimate->between_launches)},
          {"within_launch", number(within)}};
}

Json json_of(const model::CellSummary& summary, const LaunchSummaries& own) {
  const std::optional<model::Estimate>* estimates[] = {&summary.submit_seconds, &summary.latency_seconds,
                                                       &summary.device_seconds};
  Json json;
  for (int i = 0; i < 3; ++i)
    json[estimated[i]] = estimate_of(*estimates[i], own_median(own, estimated[i], "within_launch"));
  json["speedup_over_eager"] = number(summary.speedup_over_eager);
  json["breakeven_steps"] = number(summary.breakeven_steps);
  const auto steady = own_median(own, nullptr, "steady_after");
  json["steady_after"] = steady ? Json(static_cast<std::int64_t>(std::ceil(*steady))) : Json(nullptr);
  if (summary.submit_over_floor) json["submit_over_floor"] = number(summary.submit_over_floor);
  return json;
}

}  // namespace

Json empty_summary() {
  return {{"submit_seconds", nullptr},     {"latency_seconds", nullptr}, {"device_seconds", nullptr},
          {"speedup_over_eager", nullptr}, {"breakeven_steps", nullptr}, {"steady_after", nullptr}};
}

void summarize(Json& cells, const std::map<std::string, LaunchSummaries>& summaries,
               const model::Floors& floors) {
  std::vector<model::CellResult> results;
  for (const Json& cell : cells) results.push_back(result_of(cell));
  statistics::summarize_cells(results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].status != model::CellStatus::ok) {
      cells[i]["summary"] = empty_summary();
      continue;
    }
    const std::optional<double> floor = statistics::submit_floor(floors, results[i]);
    model::CellSummary& summary = results[i].summary;
    if (floor && summary.submit_seconds) summary.submit_over_floor = summary.submit_seconds->p50 / *floor;
    const auto own = summaries.find(cells[i].at("id"));
    cells[i]["summary"] = json_of(summary, own == summaries.end() ? LaunchSummaries() : own->second);
  }
}

}  // namespace graphbench::ab
