// A training program while it is being made, and the rules that make it, one per kind of op.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/ir/program.hpp"
#include "graphs/ir/training/differentiate.hpp"

namespace graphbench::ir::training {

// The state that rules work on. A parameter named `forward` belongs to the forward program, any other to the
// draft.
class Draft {
 public:
  Draft(const Program& forward, const OpCatalog& catalog, Accumulate accumulate);

  [[noreturn]] void refuse(const std::string& why) const;  // Error(no_backward)
  const Value& forward_value(ValueId forward) const { return forward_.value(forward); }
  ValueId at(ValueId forward) const { return here_.at(forward); }
  std::vector<ValueId> at(const std::vector<ValueId>& forward) const {
    std::vector<ValueId> here;
    for (const ValueId id : forward) here.push_back(at(id));
    return here;
  }
  // True if a gradient by the value is needed: it is a parameter, or made from one.
  bool wants_gradient(ValueId forward) const { return wanted_.at(forward); }

  // Begins a part of the batch with its own inputs, activations and gradients. Parameters' gradients add up.
  void begin_micro_batch(std::int64_t part);
  // Completes a name for the part.
  std::string named(const std::string& name) const { return name + suffix_; }

  // Appends the op unchanged.
  void copy(const Op& op);
  // Appends an op with one output; `name` is completed by named().
  ValueId append(const std::string& kind, const std::string& name, std::vector<ValueId> inputs,
                 Attributes attributes = {});
  void set(ValueId forward, ValueId here) { here_.at(forward) = here; }
  // Keeps a value for the backward part that the op computed. The forward program does not have it.
  void save(const Op& op, ValueId here) { saved_[op.name] = here; }
  std::optional<ValueId> saved(const Op& op) const;

  // Begins the gradient of an op of this kind.
  void begin_backward(const std::string& kind);
  // Adds a summand to a value's gradient, if that gradient is needed.
  void add_gradient(ValueId forward, ValueId gradient);
  // Adds a summand that an op of a kind with `accumulate` computes, named "<op>.<what>".
  void add_gradient(ValueId forward, const Op& op, const std::string& kind, const std::string& what,
                    std::vector<ValueId> inputs, Attributes attributes = {});
  // Returns the sum of all summands; absent if there is none.
  std::optional<ValueId> gradient(ValueId forward);
  // Returns a parameter's gradient over all parts, through its hooks. It is called once.
  std::optional<ValueId> complete(ValueId weight);

  ProgramBuilder& builder() { return builder_; }

 private:
  void declare_values();
  ValueId sum(ValueId forward, ValueId a, ValueId b);
  bool has_hook(ValueId weight, HookPlace place) const;
  ValueId hooked(ValueId weight, HookPlace place, ValueId gradient);
  // Takes the part's gradient of a parameter with `pre` hooks through them, and adds it to the sum of earlier
  // parts.
  void end_part(ValueId weight);

  const Program& forward_;
  Accumulate accumulate_;
  ProgramBuilder builder_;
  std::vector<ValueId> here_;                    // by forward value
  std::vector<bool> wanted_;                     // by forward value
  std::vector<std::vector<ValueId>> gradients_;  // per forward value: summands not added yet
  std::vector<int> sums_;                        // per forward value: number of additions so far
  std::map<std::string, ValueId> saved_;         // by op
  std::map<ValueId, ValueId> parts_;             // per parameter with `pre` hooks: the sum of earlier parts
  std::string splits_with_;
  std::string suffix_;
};

struct Rule {
  std::string_view kind;
  // Null: the op is copied.
  void (*forward)(Draft& draft, const Op& op) = nullptr;
  // `gradient` is the gradient of the op's only output, or of one of several.
  void (*backward)(Draft& draft, const Op& op, ValueId gradient) = nullptr;
};

const Rule* find_rule(std::string_view kind);  // null: the kind has none
// The backward rule of an op whose definition names the kind of its gradient.
void backward_by_kind(Draft& draft, const Op& op);

}  // namespace graphbench::ir::training
