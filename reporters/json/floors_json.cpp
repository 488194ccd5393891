// A result document without cells: who measured where, and the floors.
#include "reporters/json/floors_json.hpp"

#include <utility>

#include "reporters/json/instruments_json.hpp"

namespace graphbench::reporters {

std::string floors_document(const model::FloorsDocument& document) {
  nlohmann::ordered_json json;
  json["schema"] = "graphbench.floors/1";
  json["tool"] = {{"version", document.tool_version}, {"commit", document.tool_commit}};
  json["measured_at"] = document.measured_at;
  json["environment"] = environment_of(document.environment);
  return dump(json, 2) + "\n";
}

}  // namespace graphbench::reporters
