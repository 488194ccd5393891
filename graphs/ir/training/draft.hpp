// A training program while it is being made, and the rules that make it: one a kind.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/ir/program.hpp"
#include "graphs/ir/training/differentiate.hpp"

namespace graphbench::ir::training {

// What rules work on. Ids of values are the forward program's where a parameter says so, else the draft's.
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
  // Whether the loss's gradient by it is wanted: it is a parameter, or made from one.
  bool wants_gradient(ValueId forward) const { return wanted_.at(forward); }

  // From here on inputs, activations and gradients are those of one part of the batch; parameters' gradients
  // go on being added up.
  void begin_micro_batch(std::int64_t part);
  // The name within the part.
  std::string named(const std::string& name) const { return name + suffix_; }

  // Appends the op as it is.
  void copy(const Op& op);
  // Appends an op with one output; `name` is completed by named().
  ValueId append(const std::string& kind, const std::string& name, std::vector<ValueId> inputs,
                 Attributes attributes = {});
  void set(ValueId forward, ValueId here) { here_.at(forward) = here; }
  // Of forward, for backward: what the op computed on its way that no value of the forward program is.
  void save(const Op& op, ValueId here) { saved_[op.name] = here; }
  std::optional<ValueId> saved(const Op& op) const;

  // What follows is of the gradient of an op of this kind.
  void begin_backward(const std::string& kind);
  // One more summand of a value's gradient; nothing where that is not wanted.
  void add_gradient(ValueId forward, ValueId gradient);
  // The same, computed by an op of a kind that takes `accumulate`, named "<op>.<what>".
  void add_gradient(ValueId forward, const Op& op, const std::string& kind, const std::string& what,
                    std::vector<ValueId> inputs, Attributes attributes = {});
  // All summands together; absent where there is none.
  std::optional<ValueId> gradient(ValueId forward);
  // A parameter's, over all parts, through its hooks; once.
  std::optional<ValueId> complete(ValueId weight);

  ProgramBuilder& builder() { return builder_; }

 private:
  void declare_values();
  ValueId sum(ValueId forward, ValueId a, ValueId b);
  bool has_hook(ValueId weight, HookPlace place) const;
  ValueId hooked(ValueId weight, HookPlace place, ValueId gradient);
  // Of a parameter with `pre` hooks: the part's gradient through them, added to those of earlier parts.
  void end_part(ValueId weight);

  const Program& forward_;
  Accumulate accumulate_;
  ProgramBuilder builder_;
  std::vector<ValueId> here_;                    // by forward value
  std::vector<bool> wanted_;                     // likewise
  std::vector<std::vector<ValueId>> gradients_;  // likewise: summands not yet added
  std::vector<int> sums_;                        // likewise: additions made so far
  std::map<std::string, ValueId> saved_;         // by op
  std::map<ValueId, ValueId> parts_;             // by parameter with `pre` hooks: the sum of parts that ended
  std::string splits_with_;
  std::string suffix_;
};

struct Rule {
  std::string_view kind;
  // Null: the op is copied.
  void (*forward)(Draft& draft, const Op& op) = nullptr;
  // `gradient`: of the op's only output; of several, one of theirs.
  void (*backward)(Draft& draft, const Op& op, ValueId gradient) = nullptr;
};

const Rule* find_rule(std::string_view kind);  // null: the kind has none
// Of an op whose definition names the kind of its gradient.
void backward_by_kind(Draft& draft, const Op& op);

}  // namespace graphbench::ir::training
