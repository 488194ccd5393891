// Small programs that tests build by hand.
#pragma once

#include <string>

#include "graphs/ir/program.hpp"

namespace graphbench::test {

// `layers` times rmsnorm -> linear(gelu) -> linear(residual), with a boundary between layers.
inline ir::Program make_chain(const ir::OpCatalog& catalog, int layers, std::int64_t width = 64,
                              ir::DType dtype = ir::DType::fp32) {
  ir::ProgramBuilder builder("chain", catalog);
  const auto fixed = [](std::int64_t n) { return ir::fixed_dim(n); };
  ir::ValueId x = builder.value(ir::ValueKind::input, "x", dtype, {ir::of_batch(), fixed(width)}, {});
  for (int i = 0; i < layers; ++i) {
    const std::string name = "layer" + std::to_string(i) + ".";
    if (i > 0) builder.op("boundary", name + "boundary", {}, {});
    const ir::ValueId gamma = builder.value(ir::ValueKind::weight, name + "gamma", dtype, {fixed(width)}, {});
    const ir::ValueId up =
        builder.value(ir::ValueKind::weight, name + "up.w", dtype, {fixed(4 * width), fixed(width)}, {});
    const ir::ValueId down =
        builder.value(ir::ValueKind::weight, name + "down.w", dtype, {fixed(width), fixed(4 * width)}, {});
    const ir::ValueId norm = builder.op("rmsnorm", name + "norm", {x, gamma}, {})[0];
    const ir::ValueId wide =
        builder.op("linear", name + "up", {norm, up}, {{"activation", std::string("gelu_tanh")}})[0];
    x = builder.op("linear", name + "down", {wide, down, x}, {{"residual", std::int64_t{1}}})[0];
  }
  builder.mark_output(x);
  builder.split_at(layers > 1 ? std::vector<std::string>{"boundary"} : std::vector<std::string>{});
  return builder.finish();
}

}  // namespace graphbench::test
