// Cells and devices travel in the workers' own form. Both ends are the same binary.
#include "harness/service/serve/sweep_events.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "graphs/ir/error.hpp"
#include "harness/worker/instruments_json.hpp"
#include "harness/worker/optional_json.hpp"
#include "harness/worker/protocol.hpp"
#include "reporters/json/result_json.hpp"

namespace graphbench::model {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Progress, cells_done, cells_total, tasks_done, tasks_total,
                                   elapsed_seconds, eta_seconds, worker, phase, batch, failures)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Estimate, p50, ci95_low, ci95_high, between_launches, within_launch)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CellSummary, submit_seconds, latency_seconds, device_seconds,
                                   speedup_over_eager, breakeven_steps, steady_after, submit_over_floor)

}  // namespace graphbench::model

namespace graphbench::serve {
namespace {

using nlohmann::json;

constexpr std::size_t ramp_samples_max = 32;

json to_document(const SweepBegan& event) {
  return {{"device", event.device}, {"facts", worker::encode_event(worker::DeviceEvent{event.facts})}};
}

json to_document(const SweepProgress& event) {
  return {{"progress", event.progress}};
}

json to_document(const SweepCells& event) {
  json cells = json::array();
  for (model::CellResult cell : event.cells) {
    const json summary = cell.summary;
    const json profile = cell.profile;
    json machines = json::array();
    for (const model::Launch& launch : cell.launches) machines.push_back(launch.machine);
    const std::string text = reporters::to_json(cell);
    for (model::Launch& launch : cell.launches) {
      launch.submit_samples.clear();
      launch.latency_samples.resize(std::min(launch.latency_samples.size(), ramp_samples_max));
      launch.device_samples.clear();
      launch.latency_started_ns.clear();
      launch.device_started_ns.clear();
    }
    cells.push_back({{"result", worker::encode_event(worker::CellEvent{std::move(cell)})},
                     {"summary", summary},
                     {"machines", machines},
                     {"profile", profile},
                     {"document", text}});
  }
  return {{"cells", cells}, {"identity", event.identity}};
}

template <typename Event>
Event decoded(const json& line) {
  worker::WorkerEvent event = worker::decode_event(line.get<std::string>());
  if (auto* wanted = std::get_if<Event>(&event)) return std::move(*wanted);
  throw Error(ErrorCode::invalid_argument, "read sweep event: another event stands inside");
}

SweepEvent from_document(const json& document) {
  if (document.contains("device")) {
    return SweepBegan{document.at("device").get<std::string>(),
                      decoded<worker::DeviceEvent>(document.at("facts")).facts};
  }
  if (document.contains("progress")) return SweepProgress{document.at("progress").get<model::Progress>()};
  SweepCells event;
  event.identity = document.at("identity").get<std::string>();
  for (const json& cell : document.at("cells")) {
    event.cells.push_back(decoded<worker::CellEvent>(cell.at("result")).result);
    event.cells.back().summary = cell.at("summary").get<model::CellSummary>();
    event.cells.back().profile = cell.at("profile").get<std::optional<model::Profile>>();
    for (std::size_t i = 0; i < event.cells.back().launches.size(); ++i) {
      event.cells.back().launches[i].machine =
          cell.at("machines").at(i).get<std::optional<model::LaunchMachine>>();
    }
    event.documents.push_back(cell.at("document").get<std::string>());
  }
  return event;
}

}  // namespace

std::string encode_sweep_event(const SweepEvent& event) {
  const json document = std::visit([](const auto& each) { return to_document(each); }, event);
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

SweepEvent decode_sweep_event(std::string_view line) {
  try {
    return from_document(json::parse(line));
  } catch (const json::exception& error) {
    throw Error(ErrorCode::invalid_argument, std::string("read sweep event: ") + error.what());
  }
}

}  // namespace graphbench::serve
