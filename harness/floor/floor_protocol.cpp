// The JSON form of the floor process's question and answer.
#include <nlohmann/json.hpp>

#include "graphs/ir/error.hpp"
#include "harness/floor/floor_process.hpp"
#include "harness/worker/instruments_json.hpp"

namespace graphbench::model {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceFacts, kind, name, uuid, compute_capability, memory_bytes, driver,
                                   runtime, libraries)
}

namespace graphbench::floors {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FloorRequest, device, complete, instruments)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FloorAnswer, failure, facts, floors)

namespace {

using nlohmann::json;

std::string dump(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

template <typename T>
T parse(std::string_view text, const char* what) {
  try {
    return json::parse(text).get<T>();
  } catch (const json::exception& error) {
    throw Error(ErrorCode::invalid_argument, std::string("read ") + what + ": " + error.what());
  }
}

}  // namespace

std::string encode_request(const FloorRequest& request) {
  return dump(request);
}

FloorRequest decode_request(std::string_view text) {
  return parse<FloorRequest>(text, "floor request");
}

std::string encode_answer(const FloorAnswer& answer) {
  return dump(answer);
}

FloorAnswer decode_answer(std::string_view line) {
  return parse<FloorAnswer>(line, "floor answer");
}

}  // namespace graphbench::floors
