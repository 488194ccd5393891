// What a result document says of its tool, environment, plan and device clocks. Internal to harness/codec.
#pragma once

#include <string>
#include <string_view>

#include "harness/codec/document.hpp"
#include "harness/codec/json_walk.hpp"
#include "harness/model/result.hpp"

namespace graphbench::codec {

// Both must outlive it. Each function takes the value of the key it is named for.
class FactsReader {
 public:
  using Value = JsonWalk::Value;

  FactsReader(JsonWalk& walk, DocumentFacts& facts) : walk_(walk), facts_(facts) {}

  void read_tool(Value value) { read_object(value, "tool."); }
  void read_environment(Value value) { read_object(value, ""); }
  void read_plan(Value value);
  void read_clocks(Value machine);  // of a launch

 private:
  void read_object(Value value, const std::string& prefix);
  void read_member(const std::string& name, Value value);

  JsonWalk& walk_;
  DocumentFacts& facts_;
};

// The same facts of a result that is in memory.
DocumentFacts facts_of(const model::Result& result);

}  // namespace graphbench::codec
