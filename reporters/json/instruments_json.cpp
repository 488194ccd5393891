// Field by field, as the schema lists them.
#include "reporters/json/instruments_json.hpp"

#include <cmath>
#include <utility>

namespace graphbench::reporters {

using Json = nlohmann::ordered_json;

namespace {

Json floor_of(const std::optional<model::Floor>& floor) {
  if (!floor || !std::isfinite(floor->p50)) return nullptr;
  return {{"p50", floor->p50}, {"count", floor->count}};
}

Json ladder_of(const model::FloorLadder& ladder) {
  Json points = Json::array();
  for (const model::FloorPoint& point : ladder.points) {
    points.push_back({{"nodes", point.nodes},
                      {"submit_seconds", floor_of(point.submit)},
                      {"device_seconds", floor_of(point.device)},
                      {"instantiate_seconds", floor_of(point.instantiate)}});
  }
  return {{"shape", ladder.shape},
          {"streams", ladder.streams},
          {"submit_seconds_per_node", number(ladder.submit_seconds_per_node)},
          {"device_seconds_per_node", number(ladder.device_seconds_per_node)},
          {"instantiate_seconds_per_node", number(ladder.instantiate_seconds_per_node)},
          {"points", std::move(points)}};
}

Json reading_of(const std::optional<model::MachineReading>& reading) {
  if (!reading) return nullptr;
  return {{"sm_clock_hz", number(reading->sm_clock_hz)},
          {"memory_clock_hz", number(reading->memory_clock_hz)},
          {"temperature_celsius", number(reading->temperature_celsius)},
          {"power_watts", number(reading->power_watts)},
          {"throttle", reading->throttle}};
}

Json witness_of(const std::optional<model::DeviceTimeCheck>& witness) {
  if (!witness) return nullptr;
  return {{"steps", witness->steps},
          {"device_seconds", number(witness->device_seconds)},
          {"recorded_seconds", number(witness->recorded_seconds)},
          {"difference_seconds", number(witness->difference_seconds)},
          {"events_seconds", number(witness->events_seconds)}};
}

}  // namespace

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json text(const std::string& value) {
  return value.empty() ? Json(nullptr) : Json(value);
}

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json floors_of(const model::Floors& floors) {
  Json json = {{"clock_pair_seconds", floor_of(floors.clock_pair)},
               {"kernel_launch_seconds", floor_of(floors.kernel_launch)},
               {"graph_launch_seconds", floor_of(floors.graph_launch)},
               {"queued_kernel_launch_seconds", floor_of(floors.queued_kernel_launch)},
               {"queued_graph_launch_seconds", floor_of(floors.queued_graph_launch)},
               {"empty_graph_launch_seconds", floor_of(floors.empty_graph_launch)},
               {"event_pair_seconds", floor_of(floors.event_pair)},
               {"event_resolution_seconds", number(floors.event_resolution)},
               {"completion_spin_seconds", floor_of(floors.completion_spin)},
               {"completion_block_seconds", floor_of(floors.completion_block)},
               {"queue_handoff_seconds", floor_of(floors.queue_handoff)},
               {"ladders", Json::array()}};
  for (const model::FloorLadder& ladder : floors.ladders) json["ladders"].push_back(ladder_of(ladder));
  return json;
}

Json machine_of(const model::LaunchMachine& machine) {
  return {{"cpu", machine.cpu ? Json(*machine.cpu) : Json(nullptr)},
          {"cpu_slowdown", machine.cpu_slowdown ? number(*machine.cpu_slowdown) : Json(nullptr)},
          {"device_slowdown", machine.device_slowdown ? number(*machine.device_slowdown) : Json(nullptr)},
          {"throttled", machine.throttled},
          {"before", reading_of(machine.before)},
          {"after", reading_of(machine.after)}};
}

Json profile_of(const model::Profile& profile) {
  Json top = Json::array();
  for (const model::ProfileEntry& entry : profile.top) {
    top.push_back({{"name", entry.name}, {"seconds", number(entry.seconds)}, {"count", entry.count}});
  }
  return {{"steps", profile.steps},
          {"busy_seconds", number(profile.busy_seconds)},
          {"gap_seconds", number(profile.gap_seconds)},
          {"kernels", profile.kernels},
          {"top", std::move(top)},
          {"device_seconds", number(profile.device_seconds)},
          {"slowdown", number(profile.slowdown)},
          {"witness", witness_of(profile.witness)}};
}

Json cpu_mood_of(const model::CpuState& mood) {
  return {{"governor", text(mood.governor)},
          {"turbo", mood.turbo ? Json(*mood.turbo) : Json(nullptr)},
          {"load_average", number(mood.load_average)},
          {"pinned", mood.pinned},
          {"cpu_quota", number(mood.cpu_quota)}};
}

Json instrument_of(const model::InstrumentState& state) {
  return {{"available", state.available}, {"detail", state.detail}};
}

Json environment_of(const model::Environment& environment) {
  const model::DeviceFacts& device = environment.device;
  Json libraries = Json::object();
  for (const auto& [name, version] : device.libraries) libraries[name] = version;
  Json json = {{"hostname", environment.hostname},
               {"os", environment.os},
               {"cpu", environment.cpu},
               {"cores", environment.cores},
               {"device",
                {{"kind", device.kind},
                 {"name", device.name},
                 {"uuid", text(device.uuid)},
                 {"compute_capability", text(device.compute_capability)},
                 {"memory_bytes", device.memory_bytes},
                 {"driver", text(device.driver)},
                 {"runtime", text(device.runtime)},
                 {"libraries", std::move(libraries)}}},
               {"fingerprint", environment.fingerprint}};
  if (environment.machine) json["machine"] = cpu_mood_of(*environment.machine);
  if (environment.monitor) json["monitor"] = instrument_of(*environment.monitor);
  if (environment.profiler) json["profiler"] = instrument_of(*environment.profiler);
  if (environment.floors) json["floors"] = floors_of(*environment.floors);
  return json;
}

}  // namespace graphbench::reporters
