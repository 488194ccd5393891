// Schemas graphbench.history/1 and graphbench.series/1; docs/history.md describes them.
#include "reporters/json/history_json.hpp"

#include <nlohmann/json.hpp>

#include "reporters/json/instruments_json.hpp"

namespace graphbench::reporters {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const model::HistoryEntry& entry) {
  return {{"id", entry.id},
          {"started_at", entry.started_at},
          {"commit", text(entry.label.commit)},
          {"branch", text(entry.label.branch)},
          {"label", text(entry.label.label)},
          {"device", text(entry.device)},
          {"fingerprint", text(entry.fingerprint)},
          {"plan", text(entry.plan_hash)},
          {"tool", text(entry.tool_version)},
          {"complete", entry.complete},
          {"cells", entry.cells},
          {"launches", entry.launches}};
}

}  // namespace

std::string to_json(const std::vector<model::HistoryEntry>& entries) {
  Json json = {{"schema", "graphbench.history/1"}, {"entries", Json::array()}};
  for (const model::HistoryEntry& entry : entries) json["entries"].push_back(json_of(entry));
  return dump(json, 2) + "\n";
}

std::string to_json(const model::CellHistory& history) {
  Json json = {{"schema", "graphbench.series/1"},   {"cell", history.cell},
               {"metric", name_of(history.metric)}, {"points_min", history.points_min},
               {"left_out", history.left_out},      {"older", history.older},
               {"points", Json::array()},           {"changes", Json::array()}};
  for (const model::HistoryPoint& point : history.points) {
    json["points"].push_back({{"entry", json_of(point.entry)},
                              {"median_seconds", number(point.median)},
                              {"lowest_seconds", number(point.lowest)},
                              {"highest_seconds", number(point.highest)},
                              {"launches", point.launches}});
  }
  for (const model::ChangePoint& change : history.changes) {
    json["changes"].push_back({{"index", change.index},
                               {"entry", history.points[static_cast<std::size_t>(change.index)].entry.id},
                               {"ratio", number(change.ratio)},
                               {"p", number(change.p)}});
  }
  return dump(json, 2) + "\n";
}

}  // namespace graphbench::reporters
