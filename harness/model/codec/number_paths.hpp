// Lists the paths of all numbers that a described struct has in a document:
// "launches[].setup.capture_seconds". Lists have "[]", and a name that the document chooses is "NAME".
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/model/codec/description.hpp"

namespace graphbench::model {

// A custom field says which numbers it writes: `using Holds = T` has T's numbers, and `numbers` has the paths
// of others below the field ("": the field itself). Without both, it writes no number.
class NumberPaths {
 public:
  // Adds the numbers of a T that stands at `place`: "", "cells[]".
  template <typename T>
  void add(const std::string& place) {
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string> || std::is_enum_v<T>) {
      return;
    } else if constexpr (std::is_arithmetic_v<T>) {
      paths_.push_back(place);
    } else if constexpr (requires { typename T::mapped_type; }) {  // a map
      add<typename T::mapped_type>(below(place, "NAME"));
    } else if constexpr (requires(T value) { value.has_value(); }) {  // an optional
      add<typename T::value_type>(place);
    } else if constexpr (requires { typename T::value_type; }) {  // a list
      add<typename T::value_type>(place + "[]");
    } else {
      add_fields(place, Description<T>::fields);
    }
  }

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  static std::string below(const std::string& place, std::string_view key) {
    return place + (place.empty() || key.empty() ? "" : ".") + std::string(key);
  }

  template <typename... Fields>
  void add_fields(const std::string& place, const std::tuple<Fields...>& fields) {
    std::apply([&](const auto&... each) { (add_field(place, each), ...); }, fields);
  }
  template <typename T, typename Member>
  void add_field(const std::string& place, const Field<T, Member>& field) {
    if (field.when != When::in_messages) add<Member>(below(place, field.key));
  }
  template <typename... Fields>
  void add_field(const std::string& place, const Group<Fields...>& group) {
    add_fields(below(place, group.key), group.fields);
  }
  template <typename T, typename Member>
  void add_field(const std::string& place, const Inlined<T, Member>&) {
    add_fields(place, Description<Member>::fields);
  }
  template <typename T>
  void add_field(const std::string& place, const Interval<T>& interval) {
    paths_.push_back(below(place, interval.key) + "[]");
  }
  template <typename Custom>
  void add_field(const std::string& place, const CustomField<Custom>& field) {
    const std::string at = below(place, field.key);
    if constexpr (requires { typename Custom::Holds; }) add<typename Custom::Holds>(at);
    if constexpr (requires { Custom::numbers; }) {
      for (const std::string_view number : Custom::numbers) paths_.push_back(below(at, number));
    }
  }
  // Values of axes are text. A member that is left out has another field, or none.
  template <typename T>
  void add_field(const std::string&, const LaterAxes<T>&) {}
  template <typename T, typename Member>
  void add_field(const std::string&, const LeftOut<T, Member>&) {}

  std::vector<std::string> paths_;
};

}  // namespace graphbench::model
