// Builds the suite's programs. Sizes are small, and odd if the op allows it, to cover remainders.
#include "tests/conformance/programs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/conformance/op_registry.hpp"
#include "tests/support/small_programs.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::conformance {
namespace {

using ir::ValueId;
using test::batched;
using test::fixed;
using test::SmallBuilder;

const ir::Attributes bias_gelu{{"bias", one}, {"activation", std::string("gelu_tanh")}};
const ir::Attributes bias_residual{{"bias", one}, {"residual", one}};
const ir::Attributes two_heads{{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{8}}};

ir::Program chain(const ir::OpCatalog& catalog, ir::DType dtype) {
  SmallBuilder b(catalog, dtype, "chain");
  ValueId x = b.input("x", batched({48}), uniform(1));
  for (int i = 0; i < 3; ++i) {
    const std::string layer = "layer" + std::to_string(i) + ".";
    if (i > 0) b.op("boundary", layer + "boundary", {}, {});
    const auto weight = [&](const char* name, std::initializer_list<std::int64_t> extents) {
      return b.weight(layer + name, fixed(extents), uniform(0.2));
    };
    const ValueId gamma = weight("gamma", {48});
    const ValueId up = weight("up.w", {80, 48}), up_bias = weight("up.b", {80});
    const ValueId down = weight("down.w", {48, 80}), down_bias = weight("down.b", {48});
    const ValueId norm = b.one("rmsnorm", layer + "norm", {x, gamma});
    const ValueId wide = b.one("linear", layer + "up", {norm, up, up_bias}, bias_gelu);
    const ValueId narrow = b.one("linear", layer + "down", {wide, down, down_bias, x}, bias_residual);
    x = b.one("add", layer + "add", {narrow, norm});
  }
  b.split_at({"boundary"});
  return b.ending_in(x);
}

ir::Program conv(const ir::OpCatalog& catalog, ir::DType dtype) {
  SmallBuilder b(catalog, dtype, "conv");
  ValueId x = b.input("x", batched({9, 7, 8}), uniform(1));
  for (int i = 0; i < 2; ++i) {
    const std::string block = "block" + std::to_string(i) + ".";
    if (i > 0) b.op("boundary", block + "boundary", {}, {});
    ValueId inner = x;
    for (int k = 0; k < 2; ++k) {
      const std::string name = block + "conv" + std::to_string(k);
      const ValueId w = b.weight(name + ".w", fixed({8, 3, 3, 8}), uniform(0.1));
      std::vector<ValueId> inputs{inner, w, b.weight(name + ".b", fixed({8}), uniform(0.1))};
      if (k == 1) inputs.push_back(x);
      inner = b.one("conv2d", name, inputs,
                    {{"bias", one},
                     {"residual", std::int64_t{k}},
                     {"padding", one},
                     {"activation", std::string("relu")}});
    }
    x = inner;
  }
  b.split_at({"*.conv1"});
  return b.ending_in(x);
}

ir::Program attention(const ir::OpCatalog& catalog, ir::DType dtype) {
  SmallBuilder b(catalog, dtype, "attention");
  const ir::Shape cache = batched({2, 12, 8});
  const ValueId positions = b.integers("positions", batched({}), constant(5));
  ValueId x = b.input("x", {of_batch(2), fixed_dim(16)}, uniform(1));
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "layer" + std::to_string(i) + ".";
    const ValueId k = b.state(layer + "k", cache, uniform(1)), v = b.state(layer + "v", cache, uniform(1));
    const ValueId w = b.weight(layer + "qkv.w", fixed({48, 16}), uniform(0.3));
    const ValueId out = b.weight(layer + "out.w", fixed({16, 16}), uniform(0.3));
    const ValueId qkv = b.one("linear", layer + "qkv", {x, w});
    const ValueId q = b.one("rope_kv_append", layer + "rope", {qkv, positions, k, v}, two_heads);
    const ValueId o = b.one("sdpa", layer + "sdpa", {q, k, v}, {{"causal", one}});
    x = b.one("linear", layer + "out", {o, out, x}, {{"residual", one}});
  }
  b.split_at({"sdpa"});
  return b.ending_in(x);
}

// Norms of sums in all cases: the sum is a linear with residual or an add, and one or two ops read the norm.
ir::Program norms(const ir::OpCatalog& catalog, ir::DType dtype) {
  constexpr std::int64_t width = 256;
  SmallBuilder b(catalog, dtype, "norms");
  ValueId x = b.input("x", batched({width}), uniform(1));
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "layer" + std::to_string(i) + ".";
    if (i > 0) b.op("boundary", layer + "boundary", {}, {});
    const auto weight = [&](const char* name) {
      return b.weight(layer + name, fixed({width, width}), uniform(0.1));
    };
    const auto norm = [&](const std::string& name, ValueId of) {
      const ValueId gamma = b.weight(layer + name + ".gamma", fixed({width}), uniform(1.5));
      return b.one("rmsnorm", layer + name, {of, gamma});
    };
    const ValueId bias = b.weight(layer + "bias", fixed({width}), uniform(0.2));
    const ValueId up = b.one("linear", layer + "up", {norm("ahead", x), weight("up.w"), bias}, bias_gelu);
    const ValueId down = b.one("linear", layer + "down", {up, weight("down.w"), bias, x}, bias_residual);
    const ValueId behind = norm("behind", down);
    const ValueId sum = b.one("add", layer + "sum", {behind, down});
    const ValueId behind_sum = norm("behind_sum", sum);
    const ValueId last =
        b.one("linear", layer + "last", {behind_sum, weight("last.w"), sum}, {{"residual", one}});
    x = b.one("add", layer + "end", {last, behind_sum});
  }
  b.split_at({"boundary"});
  return b.ending_in(x);
}

ir::Program small(const ir::OpCatalog& catalog, ir::DType dtype) {
  SmallBuilder b(catalog, dtype, "small");
  const ValueId relu = b.one("relu", "relu", {b.input("x", batched({33}), uniform(3))});
  const ValueId softmax = b.one("softmax", "softmax", {b.one("gelu_tanh", "gelu", {relu})});
  b.mark_output(b.one("add", "sum", {softmax, relu}));
  b.split_at({"gelu_tanh"});
  return b.ending_in(softmax);
}

// Two conds with one random input as predicate: one between other ops, and one as the last op.
ir::Program branches(const ir::OpCatalog& catalog, ir::DType dtype) {
  SmallBuilder b(catalog, dtype, "branches");
  const ValueId predicate = b.integers("predicate", fixed({1}), {ir::Init::Kind::uniform, 0, 2});
  const ValueId x = b.input("x", batched({48}), uniform(1));
  const ValueId w = b.weight("w", fixed({48, 48}), uniform(0.2));
  const ir::Attributes body{{"body", std::string("linear")}, {"residual", one}};
  const ValueId first = b.one("cond", "first", {predicate, b.one("relu", "before", {x}), w, x}, body);
  return b.ending_in(
      b.one("cond", "last", {predicate, b.one("gelu_tanh", "between", {first}), w, first}, body));
}

const abi::WorkloadRegistry& builtin() {
  static const abi::WorkloadRegistry& registry = *[] {
    auto* filled = new abi::WorkloadRegistry;  // programs point into its catalog until the process ends
    workloads::add_builtin(*filled);
    return filled;
  }();
  return registry;
}

// Builds a training step as the harness does: the workload itself may build another program for training.
NamedProgram trained(const char* name, const char* workload, std::map<std::string, std::string> training) {
  return NamedProgram{name, [=](const ir::OpCatalog&, ir::DType dtype) {
                        return builtin().build(workload, {"tiny", dtype, "training", {}, training});
                      }};
}

}  // namespace

ir::Program attending(const ir::OpCatalog& catalog, ir::DType dtype) {
  SmallBuilder b(catalog, dtype);
  const auto weight = [&](const std::string& name, std::int64_t rows) {
    return b.weight(name, fixed({rows, 16}), uniform(0.5));
  };
  ValueId x = b.input("x", {of_batch(5), fixed_dim(16)}, uniform(1));
  for (const std::string layer : {"layer0.", "layer1."}) {
    const ValueId qkv = b.one("linear", layer + "qkv", {x, weight(layer + "wqkv", 48)});
    const std::vector<ValueId> heads = b.op("rope", layer + "rope", {qkv}, two_heads);
    const ValueId mixed = b.one("sdpa", layer + "sdpa", heads, {{"causal", one}});
    x = b.one("linear", layer + "out", {mixed, weight(layer + "wo", 16), x}, {{"residual", one}});
    if (layer == "layer0.") x = b.one("softmax", "softmax", {x});
  }
  b.split_at({"sdpa"});
  return b.ending_in(x);
}

ir::ValueId find(const ir::Program& program, const std::string& name) {
  const auto found = std::ranges::find(program.values(), name, &ir::Value::name);
  EXPECT_NE(found, program.values().end()) << name;
  return static_cast<ValueId>(found - program.values().begin());
}

NamedProgram trained_program(const char* name, const NamedProgram& forward,
                             const ir::TrainingOptions& options) {
  return {name, [forward, options](const ir::OpCatalog& catalog, ir::DType dtype) {
            return ir::differentiate(forward.build(catalog, dtype), catalog, options);
          }};
}

const std::vector<NamedProgram>& small_programs() {
  static const std::vector<NamedProgram> programs = {{"chain", chain},         {"conv", conv},
                                                     {"attention", attention}, {"norms", norms},
                                                     {"small", small},         {"branches", branches}};
  return programs;
}

const std::vector<NamedProgram>& base_programs() {
  using Options = std::map<std::string, std::int64_t>;
  const auto preset = [](const char* name, const char* workload, const char* chosen,
                         const char* axis = "attention", const char* way = "fused", Options options = {}) {
    return NamedProgram{
        name, [=](const ir::OpCatalog&, ir::DType dtype) {
          return builtin().build(workload, {chosen, dtype, "forward", options, {{axis, way}}});
        }};
  };
  static const std::vector<NamedProgram> programs = {
      preset("base_mlp", "mlp", "tiny"),
      preset("base_attention", "attention", "tiny"),
      preset("base_attention_prefill", "attention", "tiny-prefill"),
      preset("base_conv", "conv", "tiny"),
      preset("base_attention_decomposed", "attention", "tiny", "attention", "decomposed"),
      preset("base_attention_prefill_decomposed", "attention", "tiny-prefill", "attention", "decomposed"),
      preset("base_mlp_epilogues_off", "mlp", "tiny", "epilogues", "off"),
      preset("base_conv_epilogues_off", "conv", "tiny", "epilogues", "off"),
      preset("base_mlp_cond", "mlp", "tiny", "epilogues", "on", {{"cond", 2}}),
      preset("base_attention_apart", "attention", "tiny", "epilogues", "on", {{"qkv", 2}})};
  return programs;
}

const std::vector<NamedProgram>& training_programs() {
  using enum ir::Optimizer;
  const auto end = ir::Accumulate::end;
  static const std::vector<NamedProgram> programs = {
      trained_program("train_chain", small_programs()[0], {.optimizer = none}),
      trained_program("train_chain_adamw", small_programs()[0], {.optimizer = adamw, .accumulate = end}),
      trained_program("train_conv_sgd", small_programs()[1], {.optimizer = sgd}),
      trained_program("train_norms", small_programs()[3], {.optimizer = none}),
      trained_program("train_mlp_epilogues_off", base_programs()[6], {.optimizer = sgd}),
      trained_program("train_norms_sgd", small_programs()[3], {.optimizer = sgd, .accumulate = end}),
      trained("train_base_mlp", "mlp", {}),
      trained("train_base_mlp_adamw", "mlp", {{"optimizer", "adamw"}}),
      trained("train_base_conv", "conv", {}),
      trained("train_base_conv_sgd", "conv", {{"optimizer", "sgd"}}),
      trained("train_base_attention", "attention", {}),
      trained("train_base_attention_adamw", "attention", {{"optimizer", "adamw"}, {"accumulate", "end"}})};
  return programs;
}

}  // namespace graphbench::conformance
