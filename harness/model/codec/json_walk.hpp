// Walks a JSON text with simdjson's on-demand parser, and knows its place at every step. All readers of
// documents share it. Internal to harness/model/codec.
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

namespace graphbench::codec {

class JsonWalk {
 public:
  using Value = simdjson::ondemand::value;

  explicit JsonWalk(std::string source) : source_(std::move(source)) {}
  JsonWalk(const JsonWalk&) = delete;
  JsonWalk& operator=(const JsonWalk&) = delete;

  // Throws InputError: "SOURCE: cells[3].launches[0].setup: DETAIL".
  [[noreturn]] void fail(const std::string& detail) const;
  // Fails at something below the place where the walk is: "launches[0].index".
  [[noreturn]] void fail_below(const std::string& place, const std::string& detail) const;
  // Fails with an error of simdjson's.
  [[noreturn]] void fail(const simdjson::simdjson_error& error) const;

  // Messages end with this name as long as the object lives, because readers look for names.
  class Subject {
   public:
    explicit Subject(JsonWalk& walk) : walk_(walk) {}
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;
    ~Subject() { walk_.subject_ = {}; }
    // `name` outlives this.
    void is(std::string_view name) { walk_.subject_ = name; }

   private:
    JsonWalk& walk_;
  };

  using FieldVisitor = std::function<void(std::string_view, Value)>;
  using ElementVisitor = std::function<void(Value)>;

  // Walks a text that is one JSON object and nothing else, without needing room behind it.
  void document(std::string_view text, const FieldVisitor& visit);
  // Calls visit(key, value) for each field, and refuses a key that appears twice, because readers differ in
  // which of the two counts. A visitor that does not take a value calls skip(). The key is a part of the
  // text. Passed std::ref(visitor), it allocates nothing.
  void each_field(Value value, const FieldVisitor& visit);
  // Visits the fields of a whole text, after which nothing may follow.
  void each_field(simdjson::ondemand::document& document, const FieldVisitor& visit);
  // Calls visit(value) for each element.
  void each_element(Value value, const ElementVisitor& visit);

  std::string text(Value value);           // a string
  std::string text_or_empty(Value value);  // a string, or "" for null
  bool is_null(Value value);
  bool truth(Value value);
  double number(Value value);  // finite
  std::int64_t integer(Value value);
  std::uint64_t natural(Value value);  // a number of 64 bits, such as a seed
  // Checks that the value is JSON and not nested too deeply, and passes over it.
  void skip(Value value);

 private:
  struct Step {
    std::string_view key;  // empty: an element
    std::int64_t index = 0;
  };
  // One step down, for as long as it lives.
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

  // The keys of one object so far, on top of those of the objects around it.
  class Keys {
   public:
    explicit Keys(std::vector<std::string_view>& all) : all_(all), begin_(all.size()) {}
    Keys(const Keys&) = delete;
    Keys& operator=(const Keys&) = delete;
    ~Keys() { all_.resize(begin_); }
    // False if it was there before.
    bool add(std::string_view key);

   private:
    static constexpr std::size_t few = 24;  // looked through one by one; no object of ours has more
    std::vector<std::string_view>& all_;
    std::size_t begin_;
    std::uint64_t marks_ = 0;                                   // marks of the keys so far
    std::optional<std::unordered_set<std::string_view>> rest_;  // those beyond the few
  };

  void visit_fields(simdjson::ondemand::object object, const FieldVisitor& visit);
  [[noreturn]] void wrong(Value value, const char* wanted);
  [[noreturn]] void too_deep();
  std::string place() const;
  [[noreturn]] void fail_at(const std::string& where, const std::string& detail) const;

  std::string source_;
  std::vector<std::string_view> keys_;
  std::string_view subject_;  // empty: none
  std::array<Step, static_cast<std::size_t>(nesting_max)> path_;
  std::size_t depth_ = 0;
};

}  // namespace graphbench::codec
