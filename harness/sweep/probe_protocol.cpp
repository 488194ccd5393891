// The JSON form of the probe's questions and answers.
#include "harness/sweep/probe_protocol.hpp"

#include <nlohmann/json.hpp>

#include "graphs/ir/error.hpp"

namespace graphbench {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceStatus, id, available, detail, advice)
}

namespace graphbench::abi {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorkloadOption, key, help, min, max)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorkloadPreset, name, values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorkloadInfo, name, help, plugin, options, presets)
}  // namespace graphbench::abi

namespace graphbench::model {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceFacts, kind, name, uuid, compute_capability, memory_bytes, driver,
                                   runtime, libraries)

namespace {

// Only what building a program takes; a worker's task travels in full by its own protocol.
nlohmann::json program_document(const WorkerTask& task) {
  return {{"workload", task.workload}, {"preset", task.preset},   {"dtype", task.dtype},
          {"pass", task.pass},         {"options", task.options}, {"split_ops", task.split_ops},
          {"batches", task.batches}};
}

WorkerTask program_of(const nlohmann::json& document) {
  WorkerTask task;
  document.at("workload").get_to(task.workload);
  document.at("preset").get_to(task.preset);
  document.at("dtype").get_to(task.dtype);
  document.at("pass").get_to(task.pass);
  document.at("options").get_to(task.options);
  document.at("split_ops").get_to(task.split_ops);
  document.at("batches").get_to(task.batches);
  return task;
}

}  // namespace
}  // namespace graphbench::model

namespace graphbench::sweep {

NLOHMANN_JSON_SERIALIZE_ENUM(ProbeStage::What, {{ProbeStage::What::device, "device"},
                                                {ProbeStage::What::plugin, "plugin"},
                                                {ProbeStage::What::program, "program"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProbeStage, what, subject)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProbeFailure, stage, bad_input, bad_split, message)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProbeAnswer, devices, device, facts, dtypes, workloads, dumps)

namespace {

using nlohmann::json;

std::string dump(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

const char* kind_of(const ProbeStage&) {
  return "stage";
}
const char* kind_of(const ProbeFailure&) {
  return "failure";
}
const char* kind_of(const ProbeAnswer&) {
  return "answer";
}

ProbeEvent event_of(const json& document) {
  const auto& kind = document.at("event").get_ref<const std::string&>();
  const json& content = document.at("content");
  if (kind == "stage") return content.get<ProbeStage>();
  if (kind == "failure") return content.get<ProbeFailure>();
  if (kind == "answer") return content.get<ProbeAnswer>();
  throw Error(ErrorCode::invalid_argument, "read probe event: unknown event \"" + kind + "\"");
}

}  // namespace

std::string encode_request(const ProbeRequest& request) {
  json programs = json::array();
  for (const model::WorkerTask& task : request.programs) programs.push_back(model::program_document(task));
  return dump({{"list_devices", request.list_devices},
               {"device", request.device},
               {"plugins", request.plugins},
               {"list_workloads", request.list_workloads},
               {"programs", programs},
               {"dump", request.dump}});
}

ProbeRequest decode_request(std::string_view text) {
  try {
    const json document = json::parse(text);
    ProbeRequest request;
    document.at("list_devices").get_to(request.list_devices);
    document.at("device").get_to(request.device);
    document.at("plugins").get_to(request.plugins);
    document.at("list_workloads").get_to(request.list_workloads);
    document.at("dump").get_to(request.dump);
    for (const json& program : document.at("programs"))
      request.programs.push_back(model::program_of(program));
    return request;
  } catch (const json::exception& error) {
    throw Error(ErrorCode::invalid_argument, std::string("read probe request: ") + error.what());
  }
}

std::string encode_probe_event(const ProbeEvent& event) {
  return dump(std::visit(
      [](const auto& each) {
        return json{{"event", kind_of(each)}, {"content", each}};
      },
      event));
}

ProbeEvent decode_probe_event(std::string_view line) {
  try {
    return event_of(json::parse(line));
  } catch (const json::exception& error) {
    throw Error(ErrorCode::invalid_argument, std::string("read probe event: ") + error.what());
  }
}

}  // namespace graphbench::sweep
