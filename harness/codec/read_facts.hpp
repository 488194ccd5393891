// What a result document says of its tool, environment, plan and device clocks. Internal to harness/codec.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "harness/codec/document.hpp"
#include "harness/codec/json_walk.hpp"

namespace graphbench::codec {

// Both must outlive it. Each function takes the value of the key it is named for.
class FactsReader {
 public:
  using Value = JsonWalk::Value;

  FactsReader(JsonWalk& walk, DocumentFacts& facts) : walk_(walk), facts_(facts) {}

  void read_tool(Value value);
  void read_environment(Value value);
  void read_plan(Value value);
  void read_clocks(Value machine);  // of a launch

 private:
  void read_device(Value value);
  // Those of an object's fields that are named, as facts.
  void read_named(Value value, const std::string& prefix, std::initializer_list<std::string_view> names);
  void set_fact(const std::string& name, Value value);

  JsonWalk& walk_;
  DocumentFacts& facts_;
};

}  // namespace graphbench::codec
