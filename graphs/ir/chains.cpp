// One walk over the ops of each segment.
#include "graphs/ir/chains.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace graphbench::ir {
namespace {

constexpr std::array<std::string_view, 6> kinds_on_rows = {"add",  "bias_add", "gelu_tanh",
                                                           "relu", "rmsnorm",  "rope"};

bool contains(const std::vector<ValueId>& values, ValueId id) {
  return std::ranges::find(values, id) != values.end();
}

class Walk {
 public:
  explicit Walk(const Program& program) : program_(program), readers_(program.values().size()) {
    for (OpId id = 0; id < program.ops().size(); ++id) {
      const Op& op = program.ops()[id];
      for (const ValueId input : op.inputs) readers_[input].push_back(id);
      if (!op.recomputes.empty()) recomputed_.insert(op.recomputes);
    }
  }

  void take(OpId id) {
    if (!on_rows(program_.ops()[id])) return end();
    if (!ops_.empty() && !continues(program_.ops()[id])) end();
    ops_.push_back(id);
    const std::vector<ValueId>& outputs = program_.ops()[id].outputs;
    made_.insert(made_.end(), outputs.begin(), outputs.end());
  }

  void end(std::size_t ops_min = 2) {
    if (!ops_.empty() && ops_.size() >= ops_min) found_.push_back(chain());
    ops_.clear();
    made_.clear();
  }

  std::vector<Chain> found() { return std::move(found_); }

 private:
  const Value& rows_of(const Op& op) const { return program_.value(op.inputs[0]); }

  bool on_rows(const Op& op) const {
    return std::ranges::find(kinds_on_rows, op.kind) != kinds_on_rows.end() &&
           rows_of(op).shape.size() >= 2 && op.recomputes.empty() && !recomputed_.contains(op.name);
  }

  bool continues(const Op& op) const {
    const Value& rows = rows_of(program_.ops()[ops_.front()]);
    return rows_of(op).shape == rows.shape && rows_of(op).dtype == rows.dtype &&
           std::ranges::any_of(op.inputs, [&](ValueId id) { return contains(made_, id); });
  }

  bool stays_inside(ValueId id) const {
    const auto in_chain = [&](OpId reader) { return std::ranges::find(ops_, reader) != ops_.end(); };
    return program_.value(id).kind == ValueKind::activation && !readers_[id].empty() &&
           std::ranges::all_of(readers_[id], in_chain);
  }

  Chain chain() const {
    Chain chain;
    chain.ops = ops_;
    for (const OpId op : ops_) {
      for (const ValueId id : program_.ops()[op].inputs) {
        if (!contains(made_, id) && !contains(chain.read, id)) chain.read.push_back(id);
      }
    }
    for (const ValueId id : made_) (stays_inside(id) ? chain.inside : chain.written).push_back(id);
    return chain;
  }

  const Program& program_;
  std::vector<std::vector<OpId>> readers_;  // by value
  std::set<std::string, std::less<>> recomputed_;
  std::vector<OpId> ops_;
  std::vector<ValueId> made_;
  std::vector<Chain> found_;
};

}  // namespace

std::vector<Chain> chains(const Program& program, const std::vector<Segment>& segments) {
  Walk walk(program);
  for (const Segment& segment : segments) {
    for (OpId id = segment.first; segment.captured && id < segment.last; ++id) {
      if (!program.ops()[id].traits.marker) walk.take(id);
    }
    walk.end();
  }
  return walk.found();
}

std::vector<Chain> chains_of_one(const Program& program) {
  Walk walk(program);
  for (OpId id = 0; id < program.ops().size(); ++id) {
    walk.take(id);
    walk.end(1);
  }
  return walk.found();
}

}  // namespace graphbench::ir
