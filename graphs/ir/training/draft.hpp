// A training program while it is built, and the rules that build it, one per kind of op.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/ir/program.hpp"
#include "graphs/ir/training/differentiate.hpp"

namespace graphbench::ir {

// The state that rules work on. Function arguments named `forward` are ids of the forward program; all other
// ids belong to the training program.
class Draft {
 public:
  Draft(const Program& forward, const OpCatalog& catalog, Accumulate accumulate);

  [[noreturn]] void refuse(const std::string& why) const;  // throws Error(no_backward)
  const Value& forward_value(ValueId forward) const { return forward_.value(forward); }
  ValueId at(ValueId forward) const { return here_.at(forward); }
  std::vector<ValueId> at(const std::vector<ValueId>& forward) const {
    std::vector<ValueId> here;
    for (const ValueId id : forward) here.push_back(at(id));
    return here;
  }
  // True if the value needs a gradient, because it is a parameter or depends on one.
  bool wants_gradient(ValueId forward) const { return wanted_.at(forward); }

  // Starts a part of the batch with its own inputs and activations. All parts add to parameters' gradients.
  void begin_micro_batch(std::int64_t part);
  std::string named(const std::string& name) const { return name + suffix_; }

  void copy(const Op& op);
  // Appends an op with one output, whose name is named(`name`).
  ValueId append(const std::string& kind, const std::string& name, std::vector<ValueId> inputs,
                 Attributes attributes = {});
  void set(ValueId forward, ValueId here) { here_.at(forward) = here; }
  // Keeps, for the backward rule of `op`, a value that its forward rule added to the training program.
  void save(const Op& op, ValueId here) { saved_[op.name] = here; }
  std::optional<ValueId> saved(const Op& op) const;

  // Ops that are appended from now on compute the gradient of an op of this kind.
  void begin_backward(const std::string& kind);
  // Adds a summand to the gradient of `forward`. Does nothing if that value needs no gradient.
  void add_gradient(ValueId forward, ValueId gradient);
  // Adds a summand: the output of a new op "<op>.<what>", whose kind has the attribute `accumulate`.
  void add_gradient(ValueId forward, const Op& op, const std::string& kind, const std::string& what,
                    std::vector<ValueId> inputs, Attributes attributes = {});
  // Adds up the summands so far. Absent if there are none.
  std::optional<ValueId> gradient(ValueId forward);
  // Returns a parameter's gradient over all parts, after its hooks. Call it once per parameter.
  std::optional<ValueId> complete(ValueId weight);

  ProgramBuilder& builder() { return builder_; }

 private:
  void declare_values();
  ValueId sum(ValueId forward, ValueId a, ValueId b);
  bool has_hook(ValueId weight, HookPlace place) const;
  ValueId hooked(ValueId weight, HookPlace place, ValueId gradient);
  // Applies a parameter's `pre` hooks to its gradient in this part, then adds it to the earlier parts' sum.
  void end_part(ValueId weight);

  const Program& forward_;
  Accumulate accumulate_;
  ProgramBuilder builder_;
  std::vector<ValueId> here_;  // per forward value: its id in this program
  std::vector<bool> wanted_;
  std::vector<std::vector<ValueId>> gradients_;  // per forward value: summands that are not added yet
  std::vector<int> sums_;                        // per forward value: number of additions so far
  std::map<std::string, ValueId> saved_;         // by op name
  std::map<ValueId, ValueId> parts_;             // per parameter with `pre` hooks: the sum of earlier parts
  std::string splits_with_;
  std::string suffix_;
};

struct Rule {
  std::string_view kind;
  // Null: copies the op.
  void (*forward)(Draft& draft, const Op& op) = nullptr;
  // `gradient`: the gradient of the op's output; if there are several, of the last one that has a gradient.
  void (*backward)(Draft& draft, const Op& op, ValueId gradient) = nullptr;
};

const Rule* find_rule(std::string_view kind);
// The backward rule for an op whose definition names a gradient kind.
void backward_by_kind(Draft& draft, const Op& op);

}  // namespace graphbench::ir
