// Makes one program from another op by op: ops are kept or added, and values replace others.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Ids of values and ops are the program's; added ops get values with new ids. Everything throws
// Error(invalid_argument), which names op or value, for what a program cannot be.
class Rewriter {
 public:
  // `pass` is the name in the log. Both references outlive this; `catalog` outlives the new program.
  Rewriter(const Program& program, const OpCatalog& catalog, std::string pass);

  // Appends the program's op, which reads replaced values. An op that is never kept is removed.
  void keep(OpId op);
  // Appends a new op in the phase and graph of the program's op `beside`; returns its outputs.
  std::vector<ValueId> op(OpId beside, std::string kind, std::string name, std::vector<ValueId> inputs,
                          Attributes attributes);
  // Makes the op that was added last split where ops of the kind do, as a part of one.
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
  std::vector<bool> computed_;                 // by value: it can be read
  std::vector<bool> kept_;                     // by the program's op
  std::vector<std::string> graph_of_;          // by the program's op: the graph that holds it
  std::map<std::string, std::string> graphs_;  // by name of an appended op
  std::vector<std::string> added_;
};

}  // namespace graphbench::ir
