// Messages between graphbench's processes: one line of JSON each, {"event": NAME, "content": {...}}. Sender
// and receiver are the same binary, so messages have no version.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "graphs/base/error.hpp"
#include "harness/model/codec/json_reader.hpp"
#include "harness/model/codec/json_writer.hpp"

namespace graphbench::model {

// Reads a struct from a text that is one JSON object with at least one known field. Throws
// Error(invalid_argument), whose message begins with `what` ("read worker task").
template <typename T>
T read_data(std::string_view text, const std::string& what) {
  try {
    JsonWalk walk("");
    T data{};
    bool is_known = false;
    walk.document(text, [&](std::string_view key, JsonWalk::Value value) {
      is_known |= JsonReader(walk).read_field(key, value, data);
    });
    if (!is_known) walk.fail("the message has none of the fields");
    return data;
  } catch (const InputError& error) {
    throw Error(ErrorCode::invalid_argument, what + ": " + error.what());
  }
}

template <typename T>
std::string write_data(const T& data) {
  return dump(JsonWriter(Form::message).write(data));
}

template <typename... Events>
std::string write_message(const std::variant<Events...>& event) {
  Json message;
  message["event"] = std::string(Names<std::variant<Events...>>::names[event.index()]);
  message["content"] =
      std::visit([](const auto& content) { return JsonWriter(Form::message).write(content); }, event);
  return dump(message);
}

// Reads a message of write_message(), in which "event" comes before "content".
template <typename Variant>
class MessageReader {
 public:
  static Variant read(std::string_view line, const std::string& what) {
    try {
      return MessageReader().read_line(line);
    } catch (const InputError& error) {
      throw Error(ErrorCode::invalid_argument, what + ": " + error.what());
    }
  }

 private:
  Variant read_line(std::string_view line) {
    bool has_content = false;
    walk_.document(line, [&](std::string_view key, JsonWalk::Value value) {
      if (key == "event") {
        choose(walk_.text(value), std::make_index_sequence<std::variant_size_v<Variant>>());
      } else if (key == "content" && known_) {
        has_content = true;
        std::visit([&](auto& content) { read_content(value, content); }, event_);
      } else {
        walk_.skip(value);
      }
    });
    if (!known_) walk_.fail("the message does not name an event");
    if (!has_content) walk_.fail("the event has no content");
    return std::move(event_);
  }

  template <typename Content>
  void read_content(JsonWalk::Value value, Content& content) {
    bool is_known = std::tuple_size_v<decltype(Description<Content>::fields)> == 0;
    walk_.each_field(value, [&](std::string_view key, JsonWalk::Value field) {
      is_known |= JsonReader(walk_).read_field(key, field, content);
    });
    if (!is_known) walk_.fail("the message has none of the event's fields");
  }

  template <std::size_t... indices>
  void choose(const std::string& name, std::index_sequence<indices...>) {
    const auto try_one = [&]<std::size_t index>() {
      if (Names<Variant>::names[index] != name) return false;
      event_.template emplace<index>();
      return true;
    };
    known_ = (try_one.template operator()<indices>() || ...);
    if (!known_) walk_.fail("unknown event " + in_quotes(name));
  }

  JsonWalk walk_{""};
  Variant event_;
  bool known_ = false;
};

template <typename Variant>
Variant read_message(std::string_view line, const std::string& what) {
  return MessageReader<Variant>::read(line, what);
}

}  // namespace graphbench::model
