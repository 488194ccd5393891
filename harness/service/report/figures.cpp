// Makes the amounts that a report's figures draw beside those of cells. Their texts are made here too.
#include <algorithm>
#include <map>
#include <utility>

#include "harness/model/axes.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/statistics/metric_values.hpp"
#include "harness/service/report/contents.hpp"
#include "harness/service/report/numbers_json.hpp"

namespace graphbench::service {
namespace {

using nlohmann::json;
using reporters::bytes_value;
using reporters::seconds_value;
using OptionalNumber = std::optional<double>;

// The step time, memory and start-up time of a ladder's first launch.
json brief(const json& ladder) {
  json kept = {{"id", ladder.at("id")}, {"role", ladder.at("role")}, {"sizes", ladder.at("sizes").size()}};
  const json& launches = ladder.at("launches");
  if (launches.empty()) return kept;
  const json& launch = launches.front();
  const json& memory = launch.at("memory");
  const double steps = ladder.at("traffic").at("steps").get<double>();
  if (steps > 0) kept["step"] = json_of(seconds_value(launch.at("busy_seconds").get<double>() / steps));
  kept["memory"] =
      json_of(bytes_value(memory.value("pool_bytes", 0.0) +
                          (memory.at("exec_bytes").is_null() ? 0 : memory.at("exec_bytes").get<double>())));
  // The stages that a suggestion's start-up has too.
  double startup = 0;
  for (const char* stage :
       {"prepare_seconds", "warmup_seconds", "capture_seconds", "instantiate_seconds", "upload_seconds"})
    startup += launch.at("startup").value(stage, 0.0);
  kept["startup"] = json_of(seconds_value(startup));
  return kept;
}

json suggested(const json& suggestion) {
  json kept = {{"workload", suggestion.at("workload")},
               {"why_none", suggestion.value("no_suggestion", "")},
               {"sizes", suggestion.at("sizes").size()},
               {"step", json_of(seconds_value(suggestion.at("step_seconds").get<double>()))},
               {"startup", json_of(seconds_value(suggestion.at("startup_seconds").get<double>()))},
               {"frontier", json::array()}};
  if (const json& memory = suggestion.at("memory_bytes"); !memory.is_null())
    kept["memory"] = json_of(bytes_value(memory.get<double>()));
  for (const json& point : suggestion.at("frontier"))
    kept["frontier"].push_back({{"sizes", point.at("sizes")},
                                {"step", json_of(seconds_value(point.at("step_seconds").get<double>()))}});
  return kept;
}

}  // namespace

json ladders_in(const json& whole) {
  json found = {{"ladders", json::array()}, {"suggestions", json::array()}};
  json conclusions = json::array();
  // Earlier documents have no sentences.
  const auto conclude = [&](const json& of) {
    if (of.contains("sentence"))
      conclusions.push_back({{"subject", of.at("workload")},
                             {"code", "ladder"},
                             {"text", of.at("sentence")},
                             {"label", "use"}});
  };
  for (const json& ladder : whole.value("ladders", json::array())) {
    found["ladders"].push_back(brief(ladder));
    const std::string role = ladder.at("role").get<std::string>();
    if (role == "asked" || role == "suggested" || role == "best") conclude(ladder);
  }
  for (const json& each : whole.value("closed", json::array())) conclude(each);
  for (const json& each : whole.value("suggestions", json::array())) {
    found["suggestions"].push_back(suggested(each));
    conclude(each);
  }
  if (!conclusions.empty()) found["conclusions"] = std::move(conclusions);
  return found;
}

namespace {

// A figure of stacked bars, with the name of each part and its key in the document.
struct BillFigure {
  const char* title;
  const char* list;
  Value (*value)(const OptionalNumber&);
  std::vector<std::pair<const char*, const char*>> parts;
};

const std::vector<BillFigure>& bill_figures() {
  static const std::vector<BillFigure> all = {{"Memory",
                                               "growth",
                                               reporters::bytes_value,
                                               {{"pool", "pool_bytes"},
                                                {"workspace", "workspace_bytes"},
                                                {"code", "code_bytes"},
                                                {"graphs", "exec_bytes"}}},
                                              {"Time",
                                               "setup",
                                               reporters::seconds_value,
                                               {{"prepare", "prepare_seconds"},
                                                {"warmup", "warmup_seconds"},
                                                {"capture", "capture_seconds"},
                                                {"instantiate", "instantiate_seconds"},
                                                {"upload", "upload_seconds"},
                                                {"first_step", "first_step_seconds"}}}};
  return all;
}

}  // namespace

json bills_in(const json& whole) {
  json found = {{"conclusions", json::array()}, {"bills", json::array()}};
  for (const BillFigure& figure : bill_figures()) {
    json& drawn = found["bills"].emplace_back(json{{"title", figure.title}, {"rows", json::array()}});
    for (const auto& part : figure.parts) drawn["parts"].push_back(part.first);
  }
  const bool alone = whole.at("bills").size() == 1;
  for (const json& bill : whole.at("bills")) {
    if (bill.at("prediction").is_null()) continue;
    const std::string id = bill.at("id").get<std::string>();
    found["conclusions"].push_back(
        {{"subject", id}, {"code", "bill"}, {"text", bill.at("sentence")}, {"label", "use"}});
    for (std::size_t i = 0; i < bill_figures().size(); ++i) {
      const BillFigure& figure = bill_figures()[i];
      for (const auto& [how, word] :
           {std::pair("prediction", "predicted"), std::pair("measured", "measured")}) {
        if (!bill.contains(how)) continue;
        const json& amounts = bill.at(how).at(figure.list);
        json values = json::array();
        for (const auto& [name, key] : figure.parts) {
          const bool known = amounts.contains(key) && amounts.at(key).is_number();
          values.push_back(json_of(figure.value(known ? amounts.at(key).get<double>() : 0.0)));
        }
        found["bills"][i]["rows"].push_back(
            {{"name", alone ? word : id + ", " + word}, {"values", std::move(values)}});
      }
    }
  }
  return found;
}

json memory_of(const model::Result& result) {
  std::vector<const model::MetricRow*> parts;
  for (const model::MetricRow& row : model::metrics()) {
    if (!row.memory_of.empty()) parts.push_back(&row);
  }
  std::vector<std::pair<std::string, std::vector<OptionalNumber>>> workers;
  std::map<std::string, std::size_t> places;
  for (const CellResult& cell : result.cells) {
    if (cell.status != model::CellStatus::ok) continue;
    model::Cell worker = cell.cell;
    worker.batch = 0;
    const auto [place, is_new] = places.try_emplace(model::id_of(worker), workers.size());
    if (is_new) workers.emplace_back(model::id_of(cell.cell), std::vector<OptionalNumber>(parts.size()));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const OptionalNumber bytes = model::value_of(*parts[i], cell);
      OptionalNumber& all = workers[place->second].second[i];
      if (!bytes) continue;
      all =
          parts[i]->name == "exec_bytes" ? all.value_or(0) + *bytes : std::max(all.value_or(*bytes), *bytes);
    }
  }
  json memory = {{"parts", json::array()}, {"workers", json::array()}};
  for (const auto& [cell, bytes] : workers)
    memory["workers"].push_back({{"cell", cell}, {"values", json::array()}});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (std::ranges::none_of(workers, [&](const auto& each) { return each.second[i].value_or(0) != 0; }))
      continue;
    memory["parts"].push_back(parts[i]->memory_of);
    for (std::size_t at = 0; at < workers.size(); ++at)
      memory["workers"][at]["values"].push_back(json_of(bytes_value(workers[at].second[i])));
  }
  return memory;
}

}  // namespace graphbench::service
