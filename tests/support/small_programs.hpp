// Small programs that tests build by hand, in short words.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>

#include "graphs/ir/program.hpp"

namespace graphbench::test {

inline ir::Shape fixed(std::initializer_list<std::int64_t> extents) {
  ir::Shape shape;
  for (const std::int64_t extent : extents) shape.push_back(ir::fixed_dim(extent));
  return shape;
}

// So many extents behind the batch.
inline ir::Shape batched(std::initializer_list<std::int64_t> extents) {
  ir::Shape shape = fixed(extents);
  shape.insert(shape.begin(), ir::of_batch());
  return shape;
}

class SmallBuilder : public ir::ProgramBuilder {
 public:
  explicit SmallBuilder(const ir::OpCatalog& catalog, ir::DType dtype = ir::DType::fp32)
      : ProgramBuilder("p", catalog), dtype_(dtype) {}

  ir::ValueId add(ir::ValueKind kind, const std::string& name, ir::Shape shape) {
    return value(kind, name, dtype_, std::move(shape), {});
  }
  ir::ValueId input(const std::string& name, ir::Shape shape = batched({8})) {
    return add(ir::ValueKind::input, name, std::move(shape));
  }
  ir::ValueId integers(const std::string& name, ir::Shape shape = batched({})) {
    return value(ir::ValueKind::input, name, ir::DType::i32, std::move(shape), {});
  }
  ir::ValueId weight(const std::string& name, ir::Shape shape = fixed({8, 8})) {
    return add(ir::ValueKind::weight, name, std::move(shape));
  }
  ir::ValueId state(const std::string& name, ir::Shape shape) {
    return add(ir::ValueKind::state, name, std::move(shape));
  }
  // An op of one output.
  ir::ValueId one(const std::string& kind, const std::string& name, std::vector<ir::ValueId> inputs,
                  ir::Attributes attributes = {}) {
    return op(kind, name, std::move(inputs), std::move(attributes))[0];
  }
  ir::Program ending_in(ir::ValueId output) {
    mark_output(output);
    return finish();
  }

 private:
  ir::DType dtype_;
};

inline std::vector<std::string> names_of(const ir::Program& program, const std::vector<ir::ValueId>& values) {
  std::vector<std::string> names;
  for (const ir::ValueId id : values) names.push_back(program.value(id).name);
  return names;
}

// The names of all ops, or of those that `which` takes.
inline std::vector<std::string> op_names(const ir::Program& program,
                                         const std::function<bool(const ir::Op&)>& which = {}) {
  std::vector<std::string> names;
  for (const ir::Op& op : program.ops()) {
    if (!which || which(op)) names.push_back(op.name);
  }
  return names;
}

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
