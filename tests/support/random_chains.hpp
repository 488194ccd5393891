// Programs of ops that chains are made of, in random order: each seed gives one program.
#pragma once

#include <array>
#include <set>
#include <string>
#include <vector>

#include "graphs/ir/program.hpp"
#include "graphs/ir/random_fill.hpp"

namespace graphbench::test {

// Two inputs of rows, and sixteen ops on what there is so far, mostly on what came last. Now and then a
// softmax, which is in no chain, a rope, or a value that is read after the step.
inline ir::Program random_chains(const ir::OpCatalog& catalog, ir::DType dtype, std::uint64_t seed) {
  std::uint64_t drawn = 0;
  const auto draw = [&](std::size_t below) {
    return static_cast<std::size_t>(ir::mix64(seed * 1'000 + ++drawn) % below);
  };
  constexpr std::array<std::int64_t, 8> widths = {8, 33, 48, 96, 256, 768, 1030, 9000};
  const std::int64_t columns = widths[seed % widths.size()];
  ir::ProgramBuilder b("random_chains", catalog);
  const ir::Shape rows = {ir::of_batch(3), ir::fixed_dim(columns)};
  std::vector<ir::ValueId> there;
  for (const char* name : {"x", "y"}) there.push_back(b.value(ir::ValueKind::input, name, dtype, rows, {}));
  std::set<ir::ValueId> unread;
  for (int i = 0; i < 16; ++i) {
    const std::string name = "op" + std::to_string(i);
    const auto any = [&] { return there[draw(4) == 0 ? draw(there.size()) : there.size() - 1]; };
    const auto vector = [&] {
      return b.value(ir::ValueKind::weight, name + ".w", dtype, {ir::fixed_dim(columns)}, {});
    };
    const char* const kinds[] = {"add",     "bias_add", "relu",     "gelu_tanh",
                                 "rmsnorm", "add",      "bias_add", "rope"};
    std::string kind = draw(10) == 0 ? "softmax" : kinds[draw(8)];
    const std::int64_t heads = 2, head_dim = columns / 6;
    if (kind == "rope" && columns != 6 * head_dim) kind = "relu";
    std::vector<ir::ValueId> inputs = {any()};
    if (kind == "add") inputs.push_back(any());
    if (kind == "bias_add" || kind == "rmsnorm") inputs.push_back(vector());
    ir::Attributes attributes;
    if (kind == "rope") attributes = {{"heads", heads}, {"head_dim", head_dim}};
    const std::vector<ir::ValueId> made = b.op(kind, name, inputs, attributes);
    for (const ir::ValueId id : inputs) unread.erase(id);
    unread.insert(made.begin(), made.end());
    if (kind != "rope") there.push_back(made[0]);
    if (kind != "rope" && draw(6) == 0) b.mark_output(made[0]), unread.erase(made[0]);
  }
  for (const ir::ValueId id : unread) {
    if (b.value_of(id).kind == ir::ValueKind::activation) b.mark_output(id);
  }
  return b.finish();
}

}  // namespace graphbench::test
