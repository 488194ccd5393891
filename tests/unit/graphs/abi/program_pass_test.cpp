// Tests plugins' ops and rewriting passes: what a pass sees and makes, and how a wrong pass is refused.
#include <gmock/gmock.h>

#include <cstdio>
#include <functional>
#include <stdexcept>

#include "graphs/abi/foreign_op.hpp"
#include "graphs/ir/passes.hpp"
#include "tests/support/foreign_op.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"
#include "tests/unit/graphs/abi/abi_fixture.hpp"

namespace graphbench::abi {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Body = std::function<int(const gb_program&, gb_rewriter*, const gb_rewriter_api&)>;

int run_body(const gb_program* program, gb_rewriter* rewriter, const gb_rewriter_api* api, void* user) {
  return (*static_cast<const Body*>(user))(*program, rewriter, *api);
}

// The program x, w -> linear "y" with relu -> softmax "z", and the rewriting pass "mine".
struct PassFixture : RecordFixture {
  PassFixture() {
    body = [](const gb_build_request&, gb_builder* builder, const gb_builder_api& api) {
      const gb_dim rows[] = {{1, 0}, {0, 8}}, square[] = {{0, 8}, {0, 8}};
      const gb_init init = {GB_UNIFORM, 0, -1.0, 1.0};
      const std::int32_t inputs[] = {api.value(builder, GB_INPUT, "x", GB_FP32, rows, 2, init),
                                     api.value(builder, GB_WEIGHT, "w", GB_FP32, square, 2, init)};
      const gb_attr relu = {"activation", GB_ATTR_TEXT, 0, 0, 0.0, "relu"};
      std::int32_t y = -1;
      if (api.op(builder, "linear", "y", inputs, 2, &relu, 1, &y, 1) < 0) return 1;
      if (api.op(builder, "softmax", "z", &y, 1, nullptr, 0, &y, 1) < 0) return 1;
      return static_cast<int>(api.mark_output(builder, y));
    };
    plugin.passes = passes.data();
    plugin.pass_count = 1;
  }
  ir::Program build(const std::string& pass = "mine", const std::string& of = "forward") {
    add();
    return registry.build("demo", {.preset = "tiny",
                                   .dtype = ir::DType::fp32,
                                   .pass = of,
                                   .options = {},
                                   .axes = {{"program-pass", pass}}});
  }
  std::string refusal(Body with) {
    rewrite = std::move(with);
    return refusal();
  }
  std::string refusal(const std::string& name = "mine") {
    return outcome_of([&] { build(name); }).message;
  }

  Body rewrite = [](const gb_program& program, gb_rewriter* rewriter, const gb_rewriter_api& api) {
    for (std::int32_t i = 0; i < program.op_count; ++i) api.keep(rewriter, i);
    return 0;
  };
  gb_program_pass pass = {sizeof(gb_program_pass), 0, "mine", "a pass", run_body, &rewrite};
  std::vector<const gb_program_pass*> passes = {&pass};
};

TEST(ProgramPass, SeesThePrograms) {
  PassFixture fixture;
  std::string seen;
  const auto keep_all = fixture.rewrite;
  fixture.rewrite = [&](const gb_program& program, gb_rewriter* rewriter, const gb_rewriter_api& api) {
    EXPECT_EQ(program.struct_size, sizeof(gb_program));
    for (std::int32_t i = 0; i < program.op_count; ++i) {
      const gb_program_op& op = program.ops[i];
      seen += std::string(op.phase) + " " + op.kind + " " + op.name + "(";
      for (std::int32_t k = 0; k < op.input_count; ++k) {
        const gb_program_value& value = program.values[op.inputs[k]];
        seen += std::string(k > 0 ? ", " : "") + value.name + ":" + std::to_string(value.kind) +
                std::to_string(value.dtype) + "[" + std::to_string(value.dims[0].per_batch) + "," +
                std::to_string(value.dims[value.rank - 1].fixed) + "]";
      }
      for (std::int32_t k = 0; k < op.attr_count; ++k) seen += std::string("; ") + op.attrs[k].name;
      seen += ") -> " + std::to_string(program.values[op.outputs[0]].kind) + "\n";
    }
    return keep_all(program, rewriter, api);
  };
  fixture.build();
  EXPECT_EQ(seen,
            "forward linear y(x:00[1,8], w:10[0,8]; activation) -> 3\n"
            "forward softmax z(y:30[1,8]) -> 4\n");
  PassFixture training;
  seen.clear();
  training.rewrite = fixture.rewrite;
  training.build("mine", "training");
  EXPECT_THAT(seen, HasSubstr("backward linear_grad_weight y.grad_weight("));
  EXPECT_THAT(seen, HasSubstr("w:50[0,8]")) << "a parameter";
}

TEST(ProgramPass, MakesAnotherAndSaysWhatItDid) {
  PassFixture fixture;
  fixture.rewrite = [](const gb_program& program, gb_rewriter* rewriter, const gb_rewriter_api& api) {
    EXPECT_EQ(api.keep(rewriter, 0), 0);
    std::int32_t output = -1;
    EXPECT_EQ(api.op(rewriter, 1, "gelu_tanh", "new", program.ops[1].inputs, 1, nullptr, 0, &output, 1), 1);
    EXPECT_EQ(api.replace(rewriter, program.ops[1].outputs[0], output), 0);
    EXPECT_EQ(api.log(rewriter, "no softmax"), 0);
    return 0;
  };
  const ir::Program program = fixture.build();
  EXPECT_EQ(program.ops().at(1).kind, "gelu_tanh");
  EXPECT_EQ(program.value(program.values_of(ir::ValueKind::output).at(0)).name, "new");
  EXPECT_THAT(program.rewrites(), ElementsAre("pass mine: no softmax", "pass mine: removed 1 op: z (softmax)",
                                              "pass mine: added 1 op: new (gelu_tanh)"));
}

TEST(ProgramPass, SeveralRunInTheOrderOfTheirNames) {
  const auto logged = [](const std::string& asked) {
    std::string order;
    PassFixture fixture;
    const auto keep_all = fixture.rewrite;
    fixture.rewrite = [&](const gb_program& program, gb_rewriter* rewriter, const gb_rewriter_api& api) {
      order += "mine ";
      return keep_all(program, rewriter, api);
    };
    Body other = [&](const gb_program& program, gb_rewriter* rewriter, const gb_rewriter_api& api) {
      order += "other ";
      return keep_all(program, rewriter, api);
    };
    const gb_program_pass another{sizeof(gb_program_pass), 0, "other", "a pass", run_body, &other};
    fixture.passes.push_back(&another);
    fixture.plugin.passes = fixture.passes.data();
    fixture.plugin.pass_count = 2;
    fixture.build(asked);
    return order;
  };
  EXPECT_EQ(logged("mine+other"), "mine other ");
  EXPECT_EQ(logged("other+mine"), "other mine ");
  EXPECT_EQ(PassFixture().refusal("mine+"), "program-pass \"\" is unknown: give one of mine");
  EXPECT_EQ(PassFixture().refusal("none+mine"), "program-pass \"none\" is unknown: give one of mine");
}

TEST(ProgramPass, AWrongOneIsNamedWithTheReason) {
  using R = gb_rewriter*;
  using A = const gb_rewriter_api&;
  using P = const gb_program&;
  const std::string begin = "plugin demo.so: pass mine of program demo/tiny/fp32: ";
  const auto refused = [&](const Body& body, const std::string& text) {
    EXPECT_EQ(PassFixture().refusal(body), begin + text);
  };
  refused([](P, R r, A a) { return a.keep(r, 1); }, "pass mine: op z reads y, which no earlier op computes");
  refused([](P, R r, A a) { return a.keep(r, -4); }, "op -4 does not exist");
  refused([](P, R r, A a) { return a.replace(r, 2, 99); }, "pass mine: 99 is not a value");
  refused([](P, R r, A a) { return a.log(r, "two\nlines"); },
          "a line of the log 'two?lines' must be one non-empty line of UTF-8 without control characters");
  refused(
      [](P, R r, A a) {
        for (int i = 0; i < 65; ++i) a.log(r, "again");
        return 0;
      },
      "the pass's log has more than 64 lines");
  refused(
      [](P, R r, A a) {
        a.fail(r, "not for this");
        return 1;
      },
      "not for this");
  refused([](P, R, A) { return 3; }, "rewrite returned 3 and no reason");
  refused([](P, R, A) -> int { throw std::runtime_error("thrown"); }, "rewrite: threw an exception: thrown");
  refused([](P, R, A) { return 0; },
          "pass mine: output z has lost the op that computes it: keep that op, or replace the value");
}

TEST(ProgramPass, AnUnknownOneIsRefusedWithThoseThereAre) {
  EXPECT_EQ(PassFixture().refusal("mime"), "program-pass \"mime\" is unknown: give one of mine");
  PassFixture none;
  none.plugin.pass_count = 0;
  EXPECT_EQ(none.refusal("mine"), "program-pass \"mine\" is unknown: give one of none");
}

TEST(ProgramPass, RecordsAreChecked) {
  const auto refused = [](void (*spoil)(PassFixture&), const char* text) {
    PassFixture fixture;
    spoil(fixture);
    EXPECT_THAT(fixture.refusal(), ::testing::AllOf(StartsWith("plugin demo.so"), HasSubstr(text)));
  };
  refused([](PassFixture& f) { f.pass.struct_size = 8; }, "gb_program_pass.struct_size is 8");
  refused([](PassFixture& f) { f.pass.reserved = 1; }, "gb_program_pass.reserved is not 0");
  refused([](PassFixture& f) { f.pass.name = "My Pass"; }, "pass name 'My Pass'");
  refused([](PassFixture& f) { f.pass.name = "none"; }, "means no pass: choose another name");
  refused([](PassFixture& f) { f.pass.help = nullptr; }, "help is null");
  refused([](PassFixture& f) { f.pass.rewrite = nullptr; }, "rewrite is null");
  refused([](PassFixture& f) { f.passes[0] = nullptr; }, "an entry of gb_plugin.passes is null");
  refused([](PassFixture& f) { f.plugin.passes = nullptr; }, "passes is null, but pass_count is 1");
  refused([](PassFixture& f) { f.plugin.pass_count = -1; }, "pass_count is -1");
  refused(
      [](PassFixture& f) {
        f.passes.push_back(&f.pass);
        f.plugin.passes = f.passes.data();
        f.plugin.pass_count = 2;
      },
      "pass 'mine' is listed twice");
}

TEST(ProgramPass, APluginMayBringPassesAloneAndNoNameTwice) {
  PassFixture fixture;
  fixture.add();
  fixture.plugin.workload_count = fixture.plugin.op_count = 0;
  WorkloadRegistry alone;
  alone.add(fixture.plugin, "other.so");
  EXPECT_EQ(outcome_of([&] { fixture.registry.add(fixture.plugin, "other.so"); }).message,
            "plugin other.so: pass 'mine' already exists in demo.so");
}

TEST(ProgramPass, ThePluginRecordOfTheFirstHeaderOfThisVersionHasNone) {
  PassFixture fixture;
  fixture.plugin.struct_size = offsetof(gb_plugin, passes);
  EXPECT_THAT(fixture.refusal(), HasSubstr("give one of none"));
}

using namespace ir;

std::int32_t infer_refusal(const gb_symbolic*, std::int32_t, const gb_attr*, std::int32_t, gb_inferred*,
                           char* error, std::size_t size, void*) {
  std::snprintf(error, size, "wants a square");
  return -1;
}

std::int32_t infer_rank_99(const gb_symbolic*, std::int32_t, const gb_attr*, std::int32_t,
                           gb_inferred* outputs, char*, std::size_t, void*) {
  outputs[0].rank = 99;
  return 1;
}

std::int32_t infer_throwing(const gb_symbolic*, std::int32_t, const gb_attr*, std::int32_t, gb_inferred*,
                            char*, std::size_t, void*) {
  throw std::runtime_error("no");
}

class ForeignTest : public ::testing::Test {
 protected:
  Program build(decltype(gb_op::infer) infer, std::uint32_t flags = 0, std::uint64_t mutated = 0) {
    op_ = test::foreign_op("mine", infer, nullptr, flags, mutated);
    catalog_ = {};
    catalog_.add(foreign_definition(op_));
    test::SmallBuilder b(catalog_);
    return b.ending_in(b.one("mine", "m", {b.input("x")}));
  }
  std::string refusal(decltype(gb_op::infer) infer, ErrorCode code) {
    const Error error = test::error_of([&] { build(infer); });
    EXPECT_EQ(error.code(), code);
    return error.what();
  }

  gb_op op_{};
  OpCatalog catalog_;
};

TEST_F(ForeignTest, ShapesComeFromThePlugin) {
  EXPECT_EQ(build(test::infer_same).value(1).shape, test::batched({8}));
}

TEST_F(ForeignTest, TraitsAndWriteSetComeFromTheFlags) {
  const Program program = build(test::infer_same, GB_OP_NOT_CAPTURABLE, 1);
  EXPECT_FALSE(program.ops()[0].traits.capturable);
  EXPECT_EQ(mutated_inputs(program), std::vector<ValueId>{0});
  EXPECT_EQ(partition(program, {}).front().captured, false);
}

TEST_F(ForeignTest, ARefusalCarriesThePluginsWordsAndWhatElseGoesWrongIsItsFault) {
  EXPECT_THAT(refusal(infer_refusal, ErrorCode::invalid_argument), HasSubstr("wants a square"));
  EXPECT_THAT(refusal(infer_rank_99, ErrorCode::plugin_failed), HasSubstr("99"));
  EXPECT_THAT(refusal(infer_throwing, ErrorCode::plugin_failed), HasSubstr("threw"));
}

}  // namespace
}  // namespace graphbench::abi
