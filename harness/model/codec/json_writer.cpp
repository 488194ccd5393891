// Writes JSON values, lists and objects.
#include "harness/model/codec/json_writer.hpp"

#include <cmath>

namespace graphbench::model {

void JsonWriter::put(Json& out, double value) {
  if (std::isfinite(value)) out = value;
}
void JsonWriter::put(Json& out, bool value) {
  out = value;
}
void JsonWriter::put(Json& out, std::int64_t value) {
  out = value;
}
void JsonWriter::put(Json& out, std::uint64_t value) {
  out = value;
}
void JsonWriter::put(Json& out, const std::string& value) {
  out = value;
}

void JsonWriter::put_interval(Json& out, std::optional<double> low, std::optional<double> high) {
  if (low && high && std::isfinite(*low) && std::isfinite(*high)) out = Json::array({*low, *high});
}

void JsonWriter::put_object(Json& out) {
  out = Json::object();
}
void JsonWriter::put_list(Json& out) {
  out = Json::array();
}

Json& JsonWriter::at(Json& object, std::string_view key) {
  return object[std::string(key)];
}
Json& JsonWriter::add_to(Json& list) {
  return list.emplace_back();
}

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace graphbench::model
