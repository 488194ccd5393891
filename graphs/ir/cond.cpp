// Finds the body of a `cond` op, and the predicates of a program's `cond` ops.
#include "graphs/ir/cond.hpp"

#include <algorithm>

#include "graphs/base/text.hpp"
#include "graphs/ir/kind_row.hpp"

namespace graphbench::ir {

Op body_of(const Op& cond) {
  static const OpCatalog& builtin = *new OpCatalog;  // ops point into it until the process ends
  Op body;
  body.kind = text_attribute(cond, "body");
  body.name = cond.name;
  body.attributes = cond.attributes;
  body.attributes.erase("body");
  if (!cond.inputs.empty()) body.inputs.assign(cond.inputs.begin() + 1, cond.inputs.end());
  body.definition = builtin.find(body.kind);
  if (body.definition == nullptr || body.definition->traits.marker || body.kind == cond_kind ||
      !body.definition->mutated_inputs.empty() || body.definition->groups.size > 0)
    refuse(cond, "attribute body is \"" + body.kind +
                     "\", but must be a built-in kind that computes its output from its inputs alone");
  return body;
}

std::vector<ValueId> predicates_of(const Program& program) {
  std::vector<ValueId> found;
  for (const Op& op : program.ops()) {
    if (op.kind != cond_kind || program.value(op.inputs[0]).kind != ValueKind::input) continue;
    if (!contains(found, op.inputs[0])) found.push_back(op.inputs[0]);
  }
  return found;
}

}  // namespace graphbench::ir
