// Short functions with which tests build small programs by hand.
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

inline ir::Shape batched(std::initializer_list<std::int64_t> extents) {
  ir::Shape shape = fixed(extents);
  shape.insert(shape.begin(), ir::of_batch());
  return shape;
}

class SmallBuilder : public ir::ProgramBuilder {
 public:
  explicit SmallBuilder(const ir::OpCatalog& catalog, ir::DType dtype = ir::DType::fp32,
                        const std::string& name = "p")
      : ProgramBuilder(name, catalog), dtype_(dtype) {}

  ir::ValueId add(ir::ValueKind kind, const std::string& name, ir::Shape shape, const ir::Init& init = {}) {
    return value(kind, name, dtype_, std::move(shape), init);
  }
  ir::ValueId input(const std::string& name, ir::Shape shape = batched({8}), const ir::Init& init = {}) {
    return add(ir::ValueKind::input, name, std::move(shape), init);
  }
  ir::ValueId integers(const std::string& name, ir::Shape shape = batched({}), const ir::Init& init = {}) {
    return value(ir::ValueKind::input, name, ir::DType::i32, std::move(shape), init);
  }
  ir::ValueId weight(const std::string& name, ir::Shape shape = fixed({8, 8}), const ir::Init& init = {}) {
    return add(ir::ValueKind::weight, name, std::move(shape), init);
  }
  ir::ValueId state(const std::string& name, ir::Shape shape, const ir::Init& init = {}) {
    return add(ir::ValueKind::state, name, std::move(shape), init);
  }
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
  SmallBuilder builder(catalog, dtype, "chain");
  ir::ValueId x = builder.input("x", batched({width}));
  for (int i = 0; i < layers; ++i) {
    const std::string name = "layer" + std::to_string(i) + ".";
    if (i > 0) builder.op("boundary", name + "boundary", {}, {});
    const ir::ValueId gamma = builder.weight(name + "gamma", fixed({width}));
    const ir::ValueId up = builder.weight(name + "up.w", fixed({4 * width, width}));
    const ir::ValueId down = builder.weight(name + "down.w", fixed({width, 4 * width}));
    const ir::ValueId norm = builder.one("rmsnorm", name + "norm", {x, gamma});
    const ir::ValueId wide =
        builder.one("linear", name + "up", {norm, up}, {{"activation", std::string("gelu_tanh")}});
    x = builder.one("linear", name + "down", {wide, down, x}, {{"residual", std::int64_t{1}}});
  }
  builder.split_at(layers > 1 ? std::vector<std::string>{"boundary"} : std::vector<std::string>{});
  return builder.ending_in(x);
}

}  // namespace graphbench::test
