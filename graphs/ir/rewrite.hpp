// Makes one program from another op by op: what is kept, what is added, and what is read instead of what.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Ids of values and ops are the program's; added ops have values of their own beyond them. Everything throws
// Error(invalid_argument), naming op or value, for what the new program could not be.
class Rewriter {
 public:
  // `pass` is its name, for the log. Both references outlive this; `catalog` outlives the new program.
  Rewriter(const Program& program, const OpCatalog& catalog, std::string pass);

  // Appends the program's op, which reads what replace() has left for it. What is never kept is gone.
  void keep(OpId op);
  // Appends a new op, of the phase and in the graph of the program's op `beside`; returns its outputs.
  std::vector<ValueId> op(OpId beside, std::string kind, std::string name, std::vector<ValueId> inputs,
                          Attributes attributes);
  // The op that was added last splits where ops of the kind do, of which it is a part.
  void split_with(std::string kind) { builder_.program_.ops_.back().splits_with = std::move(kind); }
  // Ops appended from here on read `by`, of the same dtype and shape, where they read `value`, which an op
  // computes. Of an output or a gradient, `by` becomes what is read after the step.
  void replace(ValueId value, ValueId by);
  void log(const std::string& line);
  // Without what nothing reads, and with a line in the log for what is gone and what is new.
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
  std::vector<bool> computed_;                 // by value: it is there to be read
  std::vector<bool> kept_;                     // by the program's op
  std::vector<std::string> graph_of_;          // likewise: which one holds it
  std::map<std::string, std::string> graphs_;  // by name of an appended op
  std::vector<std::string> added_;
};

}  // namespace graphbench::ir
