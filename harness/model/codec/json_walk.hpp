// Walks over a JSON text with simdjson's on-demand parser, and records the current place for error messages.
// All readers of documents use this walk. Internal to harness/model/codec.
#pragma once

#include <simdjson.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "harness/model/codec/parse_document.hpp"

namespace graphbench::model {

// Begins to read `text`. At least SIMDJSON_PADDING readable bytes must follow the text. The text and the
// parser must outlive the document. Throws simdjson_error, or bad_alloc if the parser gets no memory for its
// strings.
simdjson::ondemand::document open_json(simdjson::ondemand::parser& parser, std::string_view text);

class JsonWalk {
 public:
  using Value = simdjson::ondemand::value;

  explicit JsonWalk(std::string source) : source_(std::move(source)) {}
  JsonWalk(const JsonWalk&) = delete;
  JsonWalk& operator=(const JsonWalk&) = delete;

  // The current place: "cells[3].launches[0]".
  std::string place() const;

  // Throws InputError: "SOURCE: cells[3].launches[0].setup: DETAIL".
  [[noreturn]] void fail(const std::string& detail) const;
  // Fails at a place below the current one: "launches[0].index".
  [[noreturn]] void fail_below(const std::string& place, const std::string& detail) const;
  [[noreturn]] void fail(const simdjson::simdjson_error& error) const;

  // While this object exists, error messages include a cell's id, because users search for ids.
  class Subject {
   public:
    explicit Subject(JsonWalk& walk) : walk_(walk) {}
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;
    ~Subject() { walk_.subject_ = {}; }
    // `name` must outlive this object.
    void is(std::string_view name) { walk_.subject_ = name; }

   private:
    JsonWalk& walk_;
  };

  using FieldVisitor = std::function<void(std::string_view, Value)>;
  using ElementVisitor = std::function<void(Value)>;

  // Calls visit(key, value) for each field of a text, which must be one JSON object. Needs no padding.
  void document(std::string_view text, const FieldVisitor& visit);
  // Calls visit(key, value) for each field. `visit` must read the value or call skip(). The key points into
  // the text. Fails for a duplicate key, because JSON parsers disagree on which value counts.
  // `std::ref(visit)` as the argument avoids an allocation.
  void each_field(Value value, const FieldVisitor& visit);
  // Visits the fields of a whole document. Fails if more text follows the document.
  void each_field(simdjson::ondemand::document& document, const FieldVisitor& visit);
  void each_element(Value value, const ElementVisitor& visit);

  std::string text(Value value);
  std::string text_or_empty(Value value);  // a string, or "" for null
  bool is_null(Value value);
  bool truth(Value value);
  double number(Value value);  // a finite number
  std::int64_t integer(Value value);
  std::uint64_t natural(Value value);
  // A string, or a number or a truth value as it is written.
  struct Scalar {
    std::string text;
    bool is_text;
  };
  Scalar scalar(Value value);
  // Skips the value, but checks that it is JSON and not nested too deeply.
  void skip(Value value);

 private:
  struct Step {
    std::string_view key;  // empty: an element of a list, at `index`
    std::int64_t index = 0;
  };
  class Descent {
   public:
    Descent(JsonWalk& walk, Step step) : walk_(walk) {
      if (walk_.depth_ == walk_.path_.size()) walk_.too_deep();
      walk_.path_[walk_.depth_++] = step;
    }
    ~Descent() { --walk_.depth_; }
    Descent(const Descent&) = delete;
    Descent& operator=(const Descent&) = delete;

   private:
    JsonWalk& walk_;
  };

  // The keys of the current object. `all` has them after the keys of the enclosing objects.
  class Keys {
   public:
    explicit Keys(std::vector<std::string_view>& all) : all_(all), begin_(all.size()) {}
    Keys(const Keys&) = delete;
    Keys& operator=(const Keys&) = delete;
    ~Keys() { all_.resize(begin_); }
    // Returns false for a duplicate.
    bool add(std::string_view key);

   private:
    static constexpr std::size_t few = 24;  // the number of keys that are compared one by one
    std::vector<std::string_view>& all_;
    std::size_t begin_;
    std::uint64_t marks_ = 0;                                   // one bit for each hash of the keys so far
    std::optional<std::unordered_set<std::string_view>> rest_;  // keys beyond `few`
  };

  void visit_fields(simdjson::ondemand::object object, const FieldVisitor& visit);
  [[noreturn]] void wrong(Value value, const char* wanted);
  [[noreturn]] void too_deep();
  [[noreturn]] void fail_at(const std::string& where, const std::string& detail) const;

  std::string source_;
  std::vector<std::string_view> keys_;
  std::string_view subject_;
  std::array<Step, static_cast<std::size_t>(nesting_max)> path_;
  std::size_t depth_ = 0;
};

}  // namespace graphbench::model
