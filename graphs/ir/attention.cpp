// Replaces each sdpa by batched_matmul, softmax and batched_matmul.
#include "graphs/ir/attention.hpp"

#include <cmath>

#include "graphs/ir/rewrite.hpp"

namespace graphbench::ir {

Program decompose_attention(const Program& program, const OpCatalog& catalog) {
  Rewriter rewriter(program, catalog, "attention");
  for (OpId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.ops()[id];
    if (op.kind != "sdpa") {
      rewriter.keep(id);
      continue;
    }
    const auto part = [&](const char* kind, const char* name, std::vector<ValueId> inputs,
                          Attributes attributes) {
      const ValueId out =
          rewriter.op(id, kind, op.name + name, std::move(inputs), std::move(attributes)).front();
      rewriter.split_with(op.kind);
      return out;
    };
    const auto head_dim = static_cast<double>(program.value(op.inputs[0]).shape[3].fixed);
    const std::int64_t yes = 1;
    const ValueId scores = part("batched_matmul", ".scores", {op.inputs[0], op.inputs[1]},
                                {{"transpose_b", yes}, {"scale", 1 / std::sqrt(head_dim)}});
    const ValueId weights =
        part("softmax", ".weights", {scores}, {{"causal", integer_attribute(op, "causal")}});
    rewriter.replace(op.outputs[0],
                     part("batched_matmul", ".mixed", {weights, op.inputs[2]}, {{"merge_heads", yes}}));
  }
  return rewriter.finish();
}

}  // namespace graphbench::ir
