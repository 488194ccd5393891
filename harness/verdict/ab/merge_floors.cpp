// By key, so that floors which this version does not know are merged as the others are.
#include "harness/verdict/ab/merge_floors.hpp"

#include <optional>
#include <string>

#include "harness/statistics/quantiles.hpp"

namespace graphbench::ab {
namespace {

using Json = nlohmann::ordered_json;

bool is_floor(const Json& value) {
  return value.is_object() && value.contains("p50") && value.at("p50").is_number() &&
         value.contains("count") && value.at("count").is_number_integer();
}

// The values under one key of the sweeps that have it, as far as they are of the first one's kind.
Json merged(const std::vector<Json>& floors, const std::string& key) {
  std::vector<double> p50;
  std::vector<double> numbers;
  std::int64_t count = 0;
  const Json* first = nullptr;
  for (const Json& each : floors) {
    const auto found = each.find(key);
    if (found == each.end() || found->is_null()) continue;
    if (first == nullptr) first = &*found;
    if (found->is_number()) numbers.push_back(found->get<double>());
    if (!is_floor(*found)) continue;
    p50.push_back(found->at("p50").get<double>());
    count += found->at("count").get<std::int64_t>();
  }
  if (first == nullptr) return nullptr;
  if (is_floor(*first)) return {{"p50", statistics::median(p50)}, {"count", count}};
  return first->is_number() ? Json(statistics::median(numbers)) : *first;
}

std::optional<model::Floor> floor_at(const Json& floors, const char* key) {
  const auto found = floors.find(key);
  if (found == floors.end() || !is_floor(*found)) return std::nullopt;
  return model::Floor{found->at("p50").get<double>(), found->at("count").get<std::int64_t>()};
}

}  // namespace

Json merge_floors(const std::vector<Json>& floors) {
  Json result;
  for (const Json& each : floors) {
    for (const auto& [key, value] : each.items()) {
      if (!result.contains(key)) result[key] = merged(floors, key);
    }
  }
  return result;
}

model::Floors launch_floors(const Json& merged) {
  model::Floors floors;
  if (!merged.is_object()) return floors;
  floors.kernel_launch = floor_at(merged, "kernel_launch_seconds");
  floors.graph_launch = floor_at(merged, "graph_launch_seconds");
  floors.queued_kernel_launch = floor_at(merged, "queued_kernel_launch_seconds");
  floors.queued_graph_launch = floor_at(merged, "queued_graph_launch_seconds");
  return floors;
}

}  // namespace graphbench::ab
