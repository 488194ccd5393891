// Splits epilogues (bias, activation, residual) from products and fuses them again, by one table of stages.
#include "graphs/ir/epilogues.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "graphs/ir/rewrite.hpp"
#include "graphs/ir/training/differentiate.hpp"

namespace graphbench::ir {
namespace {

// One epilogue stage of a product: the attribute that enables the stage, and the kinds of op that compute it.
struct Stage {
  const char* attribute;
  std::vector<std::string_view> kinds;

  bool is_activation() const { return std::string_view(attribute) == "activation"; }
  // The kind of the separate op for this stage; empty if the product does not use the stage.
  std::string kind_in(const Op& product) const {
    if (!is_activation()) return integer_attribute(product, attribute) != 0 ? std::string(kinds[0]) : "";
    const std::string& kind = text_attribute(product, attribute);
    return kind == "none" ? "" : kind;
  }
};

// The stages of a kind in the order of execution; empty for a kind that is not a product.
std::span<const Stage> stages_of(const std::string& kind) {
  static const std::vector<Stage> linear = {
      {"bias", {"bias_add"}}, {"activation", {"relu", "gelu_tanh"}}, {"residual", {"add"}}};
  static const std::vector<Stage> conv2d = {
      {"bias", {"bias_add"}}, {"residual", {"add"}}, {"activation", {"relu"}}};
  if (kind == "linear") return linear;
  if (kind == "conv2d") return conv2d;
  return {};
}

void take_apart(Rewriter& rewriter, OpId id, const Op& op) {
  const std::span<const Stage> stages = stages_of(op.kind);
  if (std::ranges::all_of(stages, [&](const Stage& stage) { return stage.kind_in(op).empty(); }))
    return rewriter.keep(id);
  Attributes attributes = op.attributes;
  for (const Stage& stage : stages) attributes.erase(stage.attribute);
  ValueId y =
      rewriter.op(id, op.kind, op.name + ".product", {op.inputs[0], op.inputs[1]}, std::move(attributes))[0];
  std::size_t other = 2;
  for (const Stage& stage : stages) {
    const std::string kind = stage.kind_in(op);
    if (kind.empty()) continue;
    std::vector<ValueId> inputs = {y};
    if (!stage.is_activation()) inputs.push_back(op.inputs[other++]);
    y = rewriter.op(id, kind, op.name + "." + stage.attribute, std::move(inputs), {})[0];
  }
  rewriter.replace(op.outputs[0], y);
}

class Product {
 public:
  explicit Product(const Op& op) : left_(stages_of(op.kind)), product_(op) {
    for (std::size_t i = left_.size(); i > 0; --i) {
      if (!left_[i - 1].kind_in(op).empty()) {
        left_ = left_.subspan(i);
        break;
      }
    }
  }

  // Fuses `op`. Returns false and changes nothing if no stage after the used ones can do what `op` does.
  bool take(const Op& op) {
    const auto at = std::ranges::find_if(
        left_, [&](const Stage& stage) { return std::ranges::count(stage.kinds, op.kind) > 0; });
    if (at == left_.end()) return false;
    if (at->is_activation()) {
      product_.attributes[at->attribute] = op.kind;
    } else {
      product_.attributes[at->attribute] = std::int64_t{1};
      product_.inputs.push_back(op.inputs[op.inputs[0] == result() ? 1 : 0]);
    }
    product_.outputs = op.outputs;
    left_ = left_.subspan(static_cast<std::size_t>(at - left_.begin()) + 1);
    return true;
  }

  ValueId result() const { return product_.outputs[0]; }

  void put(Rewriter& rewriter, OpId beside) {
    const ValueId result = this->result();
    rewriter.replace(
        result, rewriter.op(beside, product_.kind, product_.name, product_.inputs, product_.attributes)[0]);
  }

 private:
  std::span<const Stage> left_;
  Op product_;
};

}  // namespace

Program without_epilogues(const Program& program, const OpCatalog& catalog) {
  Rewriter rewriter(program, catalog, "epilogues");
  for (OpId id = 0; id < program.ops().size(); ++id) take_apart(rewriter, id, program.ops()[id]);
  return rewriter.finish();
}

Program with_epilogues(const Program& program, const OpCatalog& catalog,
                       const std::vector<std::string>& splits) {
  if (is_training(program)) return program;
  const std::vector<std::string>& named = splits.empty() ? program.default_splits() : splits;
  const std::vector<Op>& ops = program.ops();
  std::vector<int> reads(program.values().size());
  for (const Op& op : ops) {
    for (const ValueId input : op.inputs) ++reads[input];
  }
  Rewriter rewriter(program, catalog, "epilogues");
  bool changed = false;
  for (OpId id = 0, next = 0; id < ops.size(); id = next) {
    next = id + 1;
    if (stages_of(ops[id].kind).empty()) {
      rewriter.keep(id);
      continue;
    }
    Product product(ops[id]);
    const auto splits_before = [&](const Op& op) {
      return std::ranges::any_of(named, [&](const std::string& split) {
        return splits_at(op, split) && !splits_at(ops[id], split);
      });
    };
    const auto alone_reads = [&](const Op& op, ValueId y) {
      return reads[y] == 1 && program.value(y).kind == ValueKind::activation &&
             std::ranges::count(op.inputs, y) == 1 && !splits_before(op);
    };
    while (next < ops.size() && alone_reads(ops[next], product.result()) && product.take(ops[next])) ++next;
    next == id + 1 ? rewriter.keep(id) : product.put(rewriter, id);
    changed |= next > id + 1;
  }
  return changed ? rewriter.finish() : program;
}

}  // namespace graphbench::ir
