// The suite's programs. Sizes are small and odd where an op allows it, so that remainders are covered.
#include "tests/conformance/programs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "graphs/ir/training/differentiate.hpp"
#include "tests/conformance/op_registry.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::conformance {
namespace {

using ir::ProgramBuilder;
using ir::ValueId;
using ir::ValueKind;

ir::Program chain(const ir::OpCatalog& catalog, ir::DType dtype) {
  ProgramBuilder b("chain", catalog);
  ValueId x = b.value(ValueKind::input, "x", dtype, {of_batch(), fixed_dim(48)}, uniform(1));
  for (int i = 0; i < 3; ++i) {
    const std::string layer = "layer" + std::to_string(i) + ".";
    if (i > 0) b.op("boundary", layer + "boundary", {}, {});
    const auto weight = [&](const char* name, ir::Shape shape) {
      return b.value(ValueKind::weight, layer + name, dtype, std::move(shape), uniform(0.2));
    };
    const ValueId gamma = weight("gamma", {fixed_dim(48)});
    const ValueId up = weight("up.w", {fixed_dim(80), fixed_dim(48)});
    const ValueId up_bias = weight("up.b", {fixed_dim(80)});
    const ValueId down = weight("down.w", {fixed_dim(48), fixed_dim(80)});
    const ValueId down_bias = weight("down.b", {fixed_dim(48)});
    const ValueId norm = b.op("rmsnorm", layer + "norm", {x, gamma}, {})[0];
    const ValueId wide = b.op("linear", layer + "up", {norm, up, up_bias},
                              {{"bias", one}, {"activation", std::string("gelu_tanh")}})[0];
    const ValueId narrow =
        b.op("linear", layer + "down", {wide, down, down_bias, x}, {{"bias", one}, {"residual", one}})[0];
    x = b.op("add", layer + "add", {narrow, norm}, {})[0];
  }
  b.mark_output(x);
  b.split_at({"boundary"});
  return b.finish();
}

ir::Program conv(const ir::OpCatalog& catalog, ir::DType dtype) {
  ProgramBuilder b("conv", catalog);
  ValueId x = b.value(ValueKind::input, "x", dtype, {of_batch(), fixed_dim(9), fixed_dim(7), fixed_dim(8)},
                      uniform(1));
  for (int i = 0; i < 2; ++i) {
    const std::string block = "block" + std::to_string(i) + ".";
    if (i > 0) b.op("boundary", block + "boundary", {}, {});
    ValueId inner = x;
    for (int k = 0; k < 2; ++k) {
      const std::string name = block + "conv" + std::to_string(k);
      const ir::Shape filter{fixed_dim(8), fixed_dim(3), fixed_dim(3), fixed_dim(8)};
      const ValueId w = b.value(ValueKind::weight, name + ".w", dtype, filter, uniform(0.1));
      const ValueId bias = b.value(ValueKind::weight, name + ".b", dtype, {fixed_dim(8)}, uniform(0.1));
      std::vector<ValueId> inputs{inner, w, bias};
      if (k == 1) inputs.push_back(x);
      inner = b.op("conv2d", name, inputs,
                   {{"bias", one},
                    {"residual", std::int64_t{k}},
                    {"padding", one},
                    {"activation", std::string("relu")}})[0];
    }
    x = inner;
  }
  b.mark_output(x);
  b.split_at({"boundary"});
  return b.finish();
}

ir::Program attention(const ir::OpCatalog& catalog, ir::DType dtype) {
  ProgramBuilder b("attention", catalog);
  const ir::Shape cache{of_batch(), fixed_dim(2), fixed_dim(12), fixed_dim(8)};
  const ValueId positions = b.value(ValueKind::input, "positions", ir::DType::i32, {of_batch()}, constant(5));
  ValueId x = b.value(ValueKind::input, "x", dtype, {of_batch(2), fixed_dim(16)}, uniform(1));
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "layer" + std::to_string(i) + ".";
    const ValueId k = b.value(ValueKind::state, layer + "k", dtype, cache, uniform(1));
    const ValueId v = b.value(ValueKind::state, layer + "v", dtype, cache, uniform(1));
    const ValueId w =
        b.value(ValueKind::weight, layer + "qkv.w", dtype, {fixed_dim(48), fixed_dim(16)}, uniform(0.3));
    const ValueId out =
        b.value(ValueKind::weight, layer + "out.w", dtype, {fixed_dim(16), fixed_dim(16)}, uniform(0.3));
    const ValueId qkv = b.op("linear", layer + "qkv", {x, w}, {})[0];
    const ValueId q = b.op("rope_kv_append", layer + "rope", {qkv, positions, k, v},
                           {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{8}}})[0];
    const ValueId o = b.op("sdpa", layer + "sdpa", {q, k, v}, {{"causal", one}})[0];
    x = b.op("linear", layer + "out", {o, out, x}, {{"residual", one}})[0];
  }
  b.mark_output(x);
  b.split_at({"sdpa"});
  return b.finish();
}

// Every place where a sum meets a norm: behind a product and behind an add, read once and read twice.
ir::Program norms(const ir::OpCatalog& catalog, ir::DType dtype) {
  constexpr std::int64_t width = 256;
  ProgramBuilder b("norms", catalog);
  ValueId x = b.value(ValueKind::input, "x", dtype, {of_batch(), fixed_dim(width)}, uniform(1));
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "layer" + std::to_string(i) + ".";
    if (i > 0) b.op("boundary", layer + "boundary", {}, {});
    const auto weight = [&](const char* name) {
      return b.value(ValueKind::weight, layer + name, dtype, {fixed_dim(width), fixed_dim(width)},
                     uniform(0.1));
    };
    const auto norm = [&](const std::string& name, ValueId of) {
      const ValueId gamma =
          b.value(ValueKind::weight, layer + name + ".gamma", dtype, {fixed_dim(width)}, uniform(1.5));
      return b.op("rmsnorm", layer + name, {of, gamma}, {})[0];
    };
    const ValueId bias = b.value(ValueKind::weight, layer + "bias", dtype, {fixed_dim(width)}, uniform(0.2));
    const ir::Attributes gelu{{"bias", one}, {"activation", std::string("gelu_tanh")}};
    const ir::Attributes both{{"bias", one}, {"residual", one}};
    const ValueId up = b.op("linear", layer + "up", {norm("ahead", x), weight("up.w"), bias}, gelu)[0];
    const ValueId down = b.op("linear", layer + "down", {up, weight("down.w"), bias, x}, both)[0];
    const ValueId behind = norm("behind", down);
    const ValueId sum = b.op("add", layer + "sum", {behind, down}, {})[0];
    const ValueId behind_sum = norm("behind_sum", sum);
    const ValueId last =
        b.op("linear", layer + "last", {behind_sum, weight("last.w"), sum}, {{"residual", one}})[0];
    x = b.op("add", layer + "end", {last, behind_sum}, {})[0];
  }
  b.mark_output(x);
  b.split_at({"boundary"});
  return b.finish();
}

ir::Program small(const ir::OpCatalog& catalog, ir::DType dtype) {
  ProgramBuilder b("small", catalog);
  const ValueId x = b.value(ValueKind::input, "x", dtype, {of_batch(), fixed_dim(33)}, uniform(3));
  const ValueId relu = b.op("relu", "relu", {x}, {})[0];
  const ValueId gelu = b.op("gelu_tanh", "gelu", {relu}, {})[0];
  const ValueId softmax = b.op("softmax", "softmax", {gelu}, {})[0];
  const ValueId sum = b.op("add", "sum", {softmax, relu}, {})[0];
  b.mark_output(sum);
  b.mark_output(softmax);
  b.split_at({"gelu_tanh"});
  return b.finish();
}

const abi::WorkloadRegistry& builtin() {
  static const abi::WorkloadRegistry& registry = *[] {
    auto* filled = new abi::WorkloadRegistry;  // programs point into its catalog until the process ends
    workloads::add_builtin(*filled);
    return filled;
  }();
  return registry;
}

// As the harness builds a step: a workload may build another program to be trained.
NamedProgram trained(const char* name, const char* workload, std::map<std::string, std::string> training) {
  return NamedProgram{name, [=](const ir::OpCatalog&, ir::DType dtype) {
                        return builtin().build(workload, {"tiny", dtype, "training", {}, training});
                      }};
}

}  // namespace

ir::Program attending(const ir::OpCatalog& catalog, ir::DType dtype) {
  ir::ProgramBuilder b("attending", catalog);
  const auto weight = [&](const std::string& name, std::int64_t rows) {
    return b.value(ValueKind::weight, name, dtype, {fixed_dim(rows), fixed_dim(16)}, uniform(0.5));
  };
  ValueId x = b.value(ValueKind::input, "x", dtype, {of_batch(5), fixed_dim(16)}, uniform(1));
  for (const std::string layer : {"layer0.", "layer1."}) {
    const ValueId qkv = b.op("linear", layer + "qkv", {x, weight(layer + "wqkv", 48)}, {})[0];
    const std::vector<ValueId> heads =
        b.op("rope", layer + "rope", {qkv}, {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{8}}});
    const ValueId mixed = b.op("sdpa", layer + "sdpa", heads, {{"causal", one}})[0];
    x = b.op("linear", layer + "out", {mixed, weight(layer + "wo", 16), x}, {{"residual", one}})[0];
    if (layer == "layer0.") x = b.op("softmax", "softmax", {x}, {})[0];
  }
  b.mark_output(x);
  b.split_at({"sdpa"});
  return b.finish();
}

ir::ValueId find(const ir::Program& program, const std::string& name) {
  const auto found = std::ranges::find(program.values(), name, &ir::Value::name);
  EXPECT_NE(found, program.values().end()) << name;
  return static_cast<ValueId>(found - program.values().begin());
}

const std::vector<NamedProgram>& small_programs() {
  static const std::vector<NamedProgram> programs = {
      {"chain", chain}, {"conv", conv}, {"attention", attention}, {"norms", norms}, {"small", small}};
  return programs;
}

const std::vector<NamedProgram>& base_programs() {
  const auto preset = [](const char* name, const char* workload, const char* chosen,
                         const char* axis = "attention", const char* way = "fused") {
    return NamedProgram{name, [=](const ir::OpCatalog&, ir::DType dtype) {
                          return builtin().build(workload, {chosen, dtype, "forward", {}, {{axis, way}}});
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
      preset("base_conv_epilogues_off", "conv", "tiny", "epilogues", "off")};
  return programs;
}

const std::vector<NamedProgram>& training_programs() {
  using enum ir::Optimizer;
  const auto of = [](const NamedProgram& forward, const char* name, const ir::TrainingOptions& options) {
    return NamedProgram{name, [forward, options](const ir::OpCatalog& catalog, ir::DType dtype) {
                          return ir::differentiate(forward.build(catalog, dtype), catalog, options);
                        }};
  };
  const auto end = ir::Accumulate::end;
  static const std::vector<NamedProgram> programs = {
      of(small_programs()[0], "train_chain", {.optimizer = none}),
      of(small_programs()[0], "train_chain_adamw", {.optimizer = adamw, .accumulate = end}),
      of(small_programs()[1], "train_conv_sgd", {.optimizer = sgd}),
      of(small_programs()[3], "train_norms", {.optimizer = none}),
      of(base_programs()[6], "train_mlp_epilogues_off", {.optimizer = sgd}),
      of(small_programs()[3], "train_norms_sgd", {.optimizer = sgd, .accumulate = end}),
      trained("train_base_mlp", "mlp", {}),
      trained("train_base_mlp_adamw", "mlp", {{"optimizer", "adamw"}}),
      trained("train_base_conv", "conv", {}),
      trained("train_base_conv_sgd", "conv", {{"optimizer", "sgd"}}),
      trained("train_base_attention", "attention", {}),
      trained("train_base_attention_adamw", "attention", {{"optimizer", "adamw"}, {"accumulate", "end"}})};
  return programs;
}

}  // namespace graphbench::conformance
