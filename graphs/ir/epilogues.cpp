// Op by op, with a Rewriter.
#include "graphs/ir/epilogues.hpp"

#include "graphs/ir/rewrite.hpp"

namespace graphbench::ir {
namespace {

void take_apart(Rewriter& rewriter, OpId id, const Op& op) {
  const bool bias = integer_attribute(op, "bias") != 0;
  const bool residual = integer_attribute(op, "residual") != 0;
  const std::string activation = text_attribute(op, "activation");
  if (!bias && !residual && activation == "none") return rewriter.keep(id);
  Attributes attributes = op.attributes;
  for (const char* name : {"bias", "residual", "activation"}) attributes.erase(name);
  ValueId y =
      rewriter.op(id, op.kind, op.name + ".product", {op.inputs[0], op.inputs[1]}, std::move(attributes))[0];
  const auto then = [&](const std::string& kind, const char* name, std::vector<ValueId> more) {
    more.insert(more.begin(), y);
    y = rewriter.op(id, kind, op.name + name, std::move(more), {})[0];
  };
  const auto activate = [&] {
    if (activation != "none") then(activation, ".activation", {});
  };
  if (bias) then("bias_add", ".bias", {op.inputs[2]});
  if (op.kind == "linear") activate();
  if (residual) then("add", ".residual", {op.inputs.back()});
  if (op.kind == "conv2d") activate();
  rewriter.replace(op.outputs[0], y);
}

}  // namespace

Program without_epilogues(const Program& program, const OpCatalog& catalog) {
  Rewriter rewriter(program, catalog, "epilogues");
  for (OpId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.ops()[id];
    if (op.kind == "linear" || op.kind == "conv2d") {
      take_apart(rewriter, id, op);
    } else {
      rewriter.keep(id);
    }
  }
  return rewriter.finish();
}

}  // namespace graphbench::ir
