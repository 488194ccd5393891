// Makes a new program from an old one: keeps or adds ops, and replaces values by other values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Ids refer to the old program; outputs of added ops get new ids. All functions throw
// Error(invalid_argument), which names the op or value, if the new program would be invalid.
class Rewriter {
 public:
  // `pass`: the name for the log. `program` must outlive this object, `catalog` also the new program.
  Rewriter(const Program& program, const OpCatalog& catalog, std::string pass);

  // Appends an op of the old program. The op reads the values that replace its inputs, if any. finish() drops
  // ops that were never kept.
  void keep(OpId op);
  // Appends a new op in the phase and graph of the old op `beside`. Returns its outputs.
  std::vector<ValueId> op(OpId beside, std::string kind, std::string name, std::vector<ValueId> inputs,
                          Attributes attributes);
  // A program that is split at `kind` is then also split at the last added op.
  void split_with(std::string kind) { builder_.program_.ops_.back().splits_with = std::move(kind); }
  // Later ops read `by` instead of `value`, whose kind must be computed. `by` must already exist, with the
  // same dtype and shape. If `value` is an output or a gradient, `by` becomes that output or gradient.
  void replace(ValueId value, ValueId by);
  void log(const std::string& line);
  // Removes ops whose outputs nothing reads, logs the removed and added ops, and returns the new program.
  Program finish();

 private:
  ValueId now(ValueId id) const;
  std::vector<ValueId> computed(const std::string& reader, const std::vector<ValueId>& ids) const;
  void append(OpId like, const std::vector<ValueId>& outputs);
  [[noreturn]] void refuse(const std::string& why) const;

  const Program& program_;
  std::string pass_;
  ProgramBuilder builder_;
  std::vector<ValueId> now_;                   // per value: the value that replaces it, or itself
  std::vector<bool> computed_;                 // per value: true if ops can read the value now
  std::vector<bool> kept_;                     // per op of the old program
  std::vector<std::string> graph_of_;          // per op of the old program: the name of its graph
  std::map<std::string, std::string> graphs_;  // by name of an op of the new program: the name of its graph
  std::vector<std::string> added_;
};

}  // namespace graphbench::ir
