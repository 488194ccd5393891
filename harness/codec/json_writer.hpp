// Described data to JSON. Keys stand in the order of the description, so that two documents of one plan
// differ only where their numbers do.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "harness/codec/description.hpp"
#include "harness/model/metrics.hpp"

namespace graphbench::codec {

using Json = nlohmann::ordered_json;

class JsonWriter {
 public:
  explicit JsonWriter(Form form) : form_(form) {}

  // NaN and infinities are null.
  Json write(double value) const { return std::isfinite(value) ? Json(value) : Json(nullptr); }
  Json write(bool value) const { return value; }
  Json write(std::int64_t value) const { return value; }
  Json write(std::uint64_t value) const { return value; }
  Json write(const std::string& value) const { return value; }

  template <Named E>
  Json write(E value) const {
    return std::string(Names<E>::names[static_cast<std::size_t>(value)]);
  }
  template <typename T>
  Json write(const std::optional<T>& value) const {
    return value ? write(*value) : Json(nullptr);
  }
  template <typename T>
  Json write(const std::vector<T>& values) const {
    Json list = Json::array();
    for (const T& value : values) list.push_back(write(value));
    return list;
  }
  template <typename T>
  Json write(const std::map<std::string, T>& values) const {
    Json object = Json::object();
    for (const auto& [key, value] : values) object[key] = write(value);
    return object;
  }
  template <Described T>
  Json write(const T& value) const {
    if constexpr (requires { Description<T>::can_be_written(value); }) {
      if (!Description<T>::can_be_written(value)) return nullptr;
    }
    Json object = Json::object();
    add_fields(object, value, Description<T>::fields);
    return object;
  }

 private:
  template <typename Member>
  static bool is_default(const Member& member) {
    if constexpr (requires { member.has_value(); })
      return !member.has_value();
    else if constexpr (requires { member.empty(); })
      return member.empty();
    else if constexpr (std::is_arithmetic_v<Member>)
      return member == Member();
    else
      return false;
  }

  template <typename T, typename Fields>
  void add_fields(Json& object, const T& value, const Fields& fields) const {
    std::apply([&](const auto&... each) { (add(object, value, each), ...); }, fields);
  }

  template <typename T, typename Member>
  void add(Json& object, const T& value, const Field<T, Member>& field) const {
    const Member& member = value.*field.member;
    if (field.when == When::in_messages && form_ == Form::document) return;
    if (field.when == When::not_default && is_default(member)) return;
    if constexpr (std::is_same_v<Member, std::string>) {
      if (field.empty_is_null && member.empty()) {
        object[std::string(field.key)] = nullptr;
        return;
      }
    }
    object[std::string(field.key)] = write(member);
  }
  template <typename T, typename... Fields>
  void add(Json& object, const T& value, const Group<Fields...>& group) const {
    Json inner = Json::object();
    add_fields(inner, value, group.fields);
    object[std::string(group.key)] = std::move(inner);
  }
  template <typename T, typename Member>
  void add(Json& object, const T& value, const Inlined<T, Member>& inlined) const {
    add_fields(object, value.*inlined.member, Description<Member>::fields);
  }
  template <typename T>
  void add(Json& object, const T& value, const Interval<T>& interval) const {
    const auto& low = value.*interval.low;
    const auto& high = value.*interval.high;
    const bool known = low && high && std::isfinite(*low) && std::isfinite(*high);
    object[std::string(interval.key)] = known ? Json::array({*low, *high}) : Json(nullptr);
  }
  template <typename T, typename Custom>
  void add(Json& object, const T& value, const CustomField<Custom>& field) const {
    if (form_ == Form::message && !field.in_messages) return;
    if (std::optional<Json> json = field.custom.write(value))
      object[std::string(field.key)] = std::move(*json);
  }
  template <typename T>
  void add(Json& object, const T& value, const LaterAxes<T>&) const {
    for (const auto& [axis, of_axis] : value.more_axes) object[axis] = write(of_axis);
  }
  template <typename T>
  void add(Json& object, const T& value, const MetricFields<T>&) const {
    if constexpr (std::is_same_v<T, model::CellSummary>) {
      for (const model::MetricRow& row : model::metrics()) {
        if (row.estimate != nullptr) object[std::string(row.name)] = write(value.*row.estimate);
      }
    }
    for (const model::MetricRow& row : model::metrics()) {
      std::visit([&](auto member) { add_metric(object, value, row, member); }, row.value);
    }
  }
  template <typename T, typename Member>
  void add_metric(Json& object, const T& value, const model::MetricRow& row, Member member) const {
    if constexpr (requires { value.*member; }) {
      if constexpr (requires { (value.*member).has_value(); }) {
        if (row.left_out && !(value.*member).has_value()) return;
      }
      object[std::string(row.name)] = write(value.*member);
    }
  }

  Form form_;
};

// Bytes that are not UTF-8 are replaced, not refused. `indent` -1: on one line.
inline std::string dump(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace graphbench::codec
