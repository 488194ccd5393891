// Reads JSON into structs that GB_DESCRIBE describes, with the walk of json_walk.hpp. Ignores unknown keys.
// A member whose key is missing keeps its default.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/description.hpp"
#include "harness/model/codec/json_walk.hpp"

namespace graphbench::model {

class JsonReader {
 public:
  using Value = JsonWalk::Value;

  // The walk must outlive the reader. Reading a wrong value throws InputError with the place and the value.
  explicit JsonReader(JsonWalk& walk) : walk_(walk) {}

  // The writer wrote null for a number that is not finite, so null is read as NaN.
  void read(Value value, double& out) {
    out = walk_.is_null(value) ? std::numeric_limits<double>::quiet_NaN() : walk_.number(value);
  }
  void read(Value value, bool& out) { out = walk_.truth(value); }
  void read(Value value, std::int64_t& out) { out = walk_.integer(value); }
  void read(Value value, std::uint64_t& out) { out = walk_.natural(value); }
  void read(Value value, std::string& out) { out = walk_.text_or_empty(value); }

  template <Named E>
  void read(Value value, E& out) {
    const std::string name = walk_.text(value);
    for (std::size_t i = 0; i < Names<E>::names.size(); ++i) {
      if (Names<E>::names[i] == name) {
        out = static_cast<E>(i);
        return;
      }
    }
    walk_.fail(in_quotes(name) + " is not one of " + join(Names<E>::names));
  }
  template <typename T>
  void read(Value value, std::optional<T>& out) {
    out.reset();
    if (!walk_.is_null(value)) read(value, out.emplace());
  }
  template <typename T>
  void read(Value value, std::vector<T>& out) {
    out.clear();
    const auto visit = [&](Value element) { read(element, out.emplace_back()); };
    walk_.each_element(value, std::ref(visit));
  }
  template <typename T>
  void read(Value value, std::map<std::string, T>& out) {
    out.clear();
    const auto visit = [&](std::string_view key, Value field) { read(field, out[std::string(key)]); };
    walk_.each_field(value, std::ref(visit));
  }
  // Defined outside of the class, so that described_parts.cpp compiles these templates once for many files.
  template <Described T>
  void read(Value value, T& out);
  // Reads one field while the caller walks the object. Returns false if no field has this key.
  template <Described T>
  bool read_field(std::string_view key, Value field, T& out);

 private:
  template <typename T, typename Fields>
  bool take_any(std::string_view key, Value value, T& out, const Fields& fields) {
    return std::apply([&](const auto&... each) { return (take(key, value, out, each) || ...); }, fields);
  }

  template <typename T, typename Member>
  bool take(std::string_view key, Value value, T& out, const Field<T, Member>& field) {
    if (key != field.key) return false;
    read(value, out.*field.member);
    return true;
  }
  template <typename T, typename... Fields>
  bool take(std::string_view key, Value value, T& out, const Group<Fields...>& group) {
    if (key != group.key) return false;
    const auto visit = [&](std::string_view name, Value field) {
      if (!take_any(name, field, out, group.fields)) walk_.skip(field);
    };
    walk_.each_field(value, std::ref(visit));
    return true;
  }
  template <typename T, typename Member>
  bool take(std::string_view key, Value value, T& out, const Inlined<T, Member>& inlined) {
    return take_any(key, value, out.*inlined.member, Description<Member>::fields);
  }
  template <typename T>
  bool take(std::string_view key, Value value, T& out, const Interval<T>& interval) {
    if (key != interval.key) return false;
    std::optional<std::vector<double>> ends;
    read(value, ends);
    if (!ends) return true;
    if (ends->size() != 2) walk_.fail("an interval needs two ends");
    out.*interval.low = ends->front();
    out.*interval.high = ends->back();
    return true;
  }
  template <typename T, typename Custom>
  bool take(std::string_view key, Value value, T& out, const CustomField<Custom>& field) {
    if (key != field.key) return false;
    if constexpr (requires { field.custom.read(walk_, value, out); }) {
      field.custom.read(walk_, value, out);
    } else {
      walk_.skip(value);
    }
    return true;
  }
  template <typename T>
  bool take(std::string_view key, Value value, T& out, const LaterAxes<T>&) {
    for (const Axis& axis : axes()) {
      if (!axis.came_later() || axis.name != key) continue;
      read(value, out.more_axes[axis.name]);
      return true;
    }
    return false;
  }
  template <typename T, typename Member>
  bool take(std::string_view, Value, T&, const LeftOut<T, Member>&) {
    return false;
  }

  JsonWalk& walk_;
};

template <Described T>
void JsonReader::read(Value value, T& out) {
  if (walk_.is_null(value)) {
    out = T();
    return;
  }
  if constexpr (requires { Description<T>::unread(); }) out = Description<T>::unread();
  const auto visit = [&](std::string_view key, Value field) { read_field(key, field, out); };
  walk_.each_field(value, std::ref(visit));
}

template <Described T>
bool JsonReader::read_field(std::string_view key, Value field, T& out) {
  static_assert(describes_all<T>(), "a member of T is not in its description");
  if (take_any(key, field, out, Description<T>::fields)) return true;
  walk_.skip(field);
  return false;
}

}  // namespace graphbench::model
