// Makes one program from another op by op: ops are kept or added, and values replace others.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Ids of values and ops are the program's; added ops get values with new ids. Everything throws
// Error(invalid_argument), which names op or value, if the program would be invalid.
class Rewriter {
 public:
  // `pass` is the name in the log. Both references outlive this; `catalog` outlives the new program.
  Rewriter(const Program& program, const OpCatalog& catalog, std::string pass);

  // Appends the program's op, which reads replaced values. An op that is never kept is removed.
  void keep(OpId op);
  // Appends a new op in the phase and graph of the program's op `beside`; returns its outputs.
  std::vector<ValueId> op(OpId beside, std::string kind, std::string name, std::vector<ValueId> inputs,
                          Attributes attributes);
  // Makes the op that was added last a part of an op of `kind`: it splits where that kind does.
  void split_with(std::string kind) { builder_.program_.ops_.back().splits_with = std::move(kind); }
  // Makes ops appended from here on read `by`, of the same dtype and shape, instead of `value`, which an op
  // computes. Where `value` is an output or a gradient, `by` becomes it.
  void replace(ValueId value, ValueId by);
  void log(const std::string& line);
  // Returns the program without ops that nothing reads, and logs the removed and the added ops.
  Program finish();

 private:
  ValueId now(ValueId id) const;
  std::vector<ValueId> computed(const std::string& reader, const std::vector<ValueId>& ids) const;
  void append(OpId like, const std::vector<ValueId>& outputs);
  [[noreturn]] void refuse(const std::string& why) const;

  const Program& program_;
  std::string pass_;
  ProgramBuilder builder_;
  std::vector<ValueId> now_;                   // by value
  std::vector<bool> computed_;                 // per value: whether an op computed it so far
  std::vector<bool> kept_;                     // by the program's op
  std::vector<std::string> graph_of_;          // per op of the program: the graph that holds it
  std::map<std::string, std::string> graphs_;  // the graph of an appended op, by name
  std::vector<std::string> added_;
};

}  // namespace graphbench::ir
