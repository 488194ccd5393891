// Writes described structs as JSON. The description defines the order of keys, so two documents of one plan
// differ only in values.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/model/codec/description.hpp"

namespace graphbench::model {

using Json = nlohmann::ordered_json;

class JsonWriter {
 public:
  explicit JsonWriter(Form form) : form_(form) {}

  template <typename T>
  Json write(const T& value) const {
    Json json;
    put(json, value);
    return json;
  }

 private:
  // json_writer.cpp defines these functions: inlining Json's code at every field takes minutes to compile.
  static void put(Json& out, double value);  // NaN and infinity become null
  static void put(Json& out, bool value);
  static void put(Json& out, std::int64_t value);
  static void put(Json& out, std::uint64_t value);
  static void put(Json& out, const std::string& value);
  static void put_interval(Json& out, std::optional<double> low, std::optional<double> high);
  static void put_object(Json& out);
  static void put_list(Json& out);
  static Json& at(Json& object, std::string_view key);  // the value is null if the key is new
  static Json& add_to(Json& list);

  template <Named E>
  static void put(Json& out, E value) {
    put(out, std::string(Names<E>::names[static_cast<std::size_t>(value)]));
  }
  template <typename T>
  void put(Json& out, const std::optional<T>& value) const {
    if (value) put(out, *value);
  }
  template <typename T>
  void put(Json& out, const std::vector<T>& values) const {
    put_list(out);
    for (const T& value : values) put(add_to(out), value);
  }
  template <typename T>
  void put(Json& out, const std::map<std::string, T>& values) const {
    put_object(out);
    for (const auto& [key, value] : values) put(at(out, key), value);
  }
  // Defined outside of the class, so that described_parts.cpp compiles the writers once for many files.
  template <Described T>
  void put(Json& out, const T& value) const;

  template <typename Member>
  static bool is_default(const Member& member) {
    if constexpr (requires { member.has_value(); })
      return !member.has_value();
    else if constexpr (requires { member.empty(); })
      return member.empty();
    else if constexpr (std::is_arithmetic_v<Member> || std::is_enum_v<Member>)
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
        at(object, field.key);
        return;
      }
    }
    put(at(object, field.key), member);
  }
  template <typename T, typename... Fields>
  void add(Json& object, const T& value, const Group<Fields...>& group) const {
    Json& inner = at(object, group.key);
    put_object(inner);
    add_fields(inner, value, group.fields);
  }
  template <typename T, typename Member>
  void add(Json& object, const T& value, const Inlined<T, Member>& inlined) const {
    static_assert(describes_all<Member>(), "a member of Member is not in its description");
    add_fields(object, value.*inlined.member, Description<Member>::fields);
  }
  template <typename T>
  void add(Json& object, const T& value, const Interval<T>& interval) const {
    put_interval(at(object, interval.key), value.*interval.low, value.*interval.high);
  }
  template <typename T, typename Custom>
  void add(Json& object, const T& value, const CustomField<Custom>& field) const {
    if (form_ == Form::message && !field.in_messages) return;
    if (std::optional<Json> json = field.custom.write(value)) at(object, field.key) = std::move(*json);
  }
  template <typename T>
  void add(Json& object, const T& value, const LaterAxes<T>&) const {
    for (const auto& [axis, of_axis] : value.more_axes) put(at(object, axis), of_axis);
  }
  template <typename T, typename Member>
  void add(Json&, const T&, const LeftOut<T, Member>&) const {}

  Form form_;
};

template <Described T>
void JsonWriter::put(Json& out, const T& value) const {
  static_assert(describes_all<T>(), "a member of T is not in its description");
  if constexpr (requires { Description<T>::can_be_written(value); }) {
    if (!Description<T>::can_be_written(value)) return;
  }
  put_object(out);
  add_fields(out, value, Description<T>::fields);
}

// Replaces bytes that are not UTF-8 by U+FFFD. An `indent` of -1 writes one line.
std::string dump(const Json& json, int indent = -1);

}  // namespace graphbench::model
