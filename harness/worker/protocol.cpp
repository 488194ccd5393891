// The JSON form of tasks and events. Both ends are the same binary, so there is no version to agree on.
#include "harness/worker/protocol.hpp"

#include <nlohmann/json.hpp>

#include "graphs/ir/error.hpp"
#include "harness/worker/instruments_json.hpp"

namespace graphbench::model {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SamplingBounds, seconds_max, samples_max)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorkerTask, device, workload, preset, dtype, pass, mode, warmup, more_axes,
                                   batches, launch, seed, sampling, plugins, options, split_ops, instruments)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Cell, workload, preset, dtype, pass, batch, warmup, mode, more_axes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Summary, count, min, p50, p90, p99, p999, p50_ci95_low, p50_ci95_high, max,
                                   mean, stddev)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Setup, prepare_seconds, warmup_seconds, capture_seconds,
                                   instantiate_seconds, upload_seconds, first_step_seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Launch, index, setup, submit_seconds, latency_seconds, device_seconds,
                                   throughput_steps_per_second, latency_stopped_by, device_stopped_by,
                                   throughput_stopped_by, submit_samples, latency_samples, device_samples,
                                   latency_started_ns, device_started_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Check, reference, identical, max_abs_error)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GraphCounts, pieces, nodes, captured_ops, eager_ops)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Memory, weights_bytes, pool_bytes, pool_bytes_private, pool_bytes_own)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OpPath, path, fallback, ops)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Reason, code, message)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceFacts, kind, name, uuid, compute_capability, memory_bytes, driver,
                                   runtime, libraries)
NLOHMANN_JSON_SERIALIZE_ENUM(CellStatus, {{CellStatus::pending, "pending"},
                                          {CellStatus::ok, "ok"},
                                          {CellStatus::skipped, "skipped"},
                                          {CellStatus::failed, "failed"}})
// A worker's cell has no summary: that is made from all launches, at the end.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CellResult, cell, status, reason, check, graph, memory, paths, launches)

}  // namespace graphbench::model

namespace graphbench::worker {
namespace {

using nlohmann::json;

std::string dump(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

json to_document(const DeviceEvent& event) {
  return {{"event", "device"}, {"facts", event.facts}};
}
json to_document(const PhaseEvent& event) {
  return {{"event", "phase"}, {"batch", event.batch}, {"phase", event.phase}};
}
json to_document(const CellEvent& event) {
  return {{"event", "cell"}, {"result", event.result}};
}
json to_document(const MemoryEvent& event) {
  return {{"event", "memory"}, {"batch", event.batch}, {"memory", event.memory}};
}
json to_document(const MachineEvent& event) {
  return {{"event", "machine"}, {"batch", event.batch}, {"machine", event.machine}};
}
json to_document(const ProfileEvent& event) {
  return {{"event", "profile"}, {"batch", event.batch}, {"profile", event.profile}};
}
json to_document(const TraceEvent& event) {
  return {{"event", "trace"}, {"process", event.process}, {"spans", event.spans}};
}
json to_document(const InstrumentEvent& event) {
  return {{"event", "instrument"}, {"instrument", event.instrument}, {"state", event.state}};
}
json to_document(const ErrorEvent& event) {
  return {{"event", "error"}, {"reason", event.reason}};
}
json to_document(const DoneEvent&) {
  return {{"event", "done"}};
}

WorkerEvent from_document(const json& document) {
  const auto& kind = document.at("event").get_ref<const std::string&>();
  if (kind == "device") return DeviceEvent{document.at("facts").get<model::DeviceFacts>()};
  if (kind == "phase") {
    return PhaseEvent{document.at("batch").get<std::int64_t>(), document.at("phase").get<std::string>()};
  }
  if (kind == "cell") return CellEvent{document.at("result").get<model::CellResult>()};
  if (kind == "memory") {
    return MemoryEvent{document.at("batch").get<std::int64_t>(), document.at("memory").get<model::Memory>()};
  }
  if (kind == "machine") {
    return MachineEvent{document.at("batch").get<std::int64_t>(),
                        document.at("machine").get<model::LaunchMachine>()};
  }
  if (kind == "profile") {
    return ProfileEvent{document.at("batch").get<std::int64_t>(),
                        document.at("profile").get<model::Profile>()};
  }
  if (kind == "trace") {
    return TraceEvent{document.at("process").get<std::string>(),
                      document.at("spans").get<std::vector<model::TraceSpan>>()};
  }
  if (kind == "instrument") {
    return InstrumentEvent{document.at("instrument").get<std::string>(),
                           document.at("state").get<model::InstrumentState>()};
  }
  if (kind == "error") return ErrorEvent{document.at("reason").get<model::Reason>()};
  if (kind == "done") return DoneEvent{};
  throw Error(ErrorCode::invalid_argument, "read worker event: unknown event \"" + kind + "\"");
}

}  // namespace

std::string encode_task(const model::WorkerTask& task) {
  return dump(json(task));
}

model::WorkerTask decode_task(std::string_view text) {
  try {
    return json::parse(text).get<model::WorkerTask>();
  } catch (const json::exception& error) {
    throw Error(ErrorCode::invalid_argument, std::string("read worker task: ") + error.what());
  }
}

std::string encode_event(const WorkerEvent& event) {
  return dump(std::visit([](const auto& each) { return to_document(each); }, event));
}

WorkerEvent decode_event(std::string_view line) {
  try {
    return from_document(json::parse(line));
  } catch (const json::exception& error) {
    throw Error(ErrorCode::invalid_argument, std::string("read worker event: ") + error.what());
  }
}

}  // namespace graphbench::worker
