// Programs as exact text, over all that the built-in workloads build.
#include <gmock/gmock.h>

#include "graphs/abi/plugin.hpp"
#include "graphs/ir/passes.hpp"
#include "graphs/ir/text.hpp"
#include "tests/support/refusal.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::ir {
namespace {

using testing::HasSubstr;
using Axes = std::map<std::string, std::string>;

class ProgramTextTest : public testing::Test {
 protected:
  ProgramTextTest() { workloads::add_builtin(registry_); }

  Program build(const std::string& workload = "mlp", const std::string& pass = "forward",
                const Axes& axes = {}) const {
    return registry_.build(workload, {"tiny", DType::fp32, pass, {}, axes});
  }
  std::string failure(const std::string& text) const {
    return test::failure([&] { return read_program(text, registry_.catalog()); });
  }
  // The text of a program with `from` in it once more or less.
  std::string failure_of(const std::string& from, const std::string& to) const {
    std::string text = write_program(build());
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << " is not in\n" << text;
    return failure(text.replace(at, from.size(), to));
  }
  void expect_round_trip(const Program& program) const {
    const std::string text = write_program(program);
    const Program read = read_program(text, registry_.catalog());
    EXPECT_EQ(write_program(read), text);
    const auto segments = partition(program, program.default_splits());
    EXPECT_EQ(partition(read, read.default_splits()), segments);
    EXPECT_EQ(dump(read, segments, program.micro_batches() * 2),
              dump(program, segments, program.micro_batches() * 2));
    ASSERT_EQ(read.ops().size(), program.ops().size());
    for (OpId id = 0; id < read.ops().size(); ++id) {
      const auto all = [](const Op& op) {
        return std::tie(op.kind, op.name, op.inputs, op.outputs, op.mutates, op.attributes, op.definition,
                        op.phase, op.splits_with, op.starts_graph, op.eager, op.recomputes);
      };
      EXPECT_TRUE(all(read.ops()[id]) == all(program.ops()[id])) << program.ops()[id].name;
    }
    for (ValueId id = 0; id < read.values().size(); ++id) {
      const auto all = [](const Value& value) {
        return std::tie(value.name, value.kind, value.dtype, value.shape, value.init, value.pad);
      };
      EXPECT_TRUE(all(read.value(id)) == all(program.value(id))) << program.value(id).name;
    }
    EXPECT_EQ(read.rewrites(), program.rewrites());
    EXPECT_EQ(read.removed_ops(), program.removed_ops());
  }

  abi::WorkloadRegistry registry_;
};

TEST_F(ProgramTextTest, EveryProgramComesBackAsItWas) {
  int programs = 0;
  for (const abi::WorkloadInfo& workload : registry_.workloads()) {
    for (const abi::WorkloadPreset& preset : workload.presets) {
      for (const DType dtype : {DType::fp32, DType::fp16, DType::bf16}) {
        for (const char* pass : {"forward", "training"}) {
          SCOPED_TRACE(workload.name + "/" + preset.name + "/" + std::string(name_of(dtype)) + "/" + pass);
          expect_round_trip(registry_.build(workload.name, {preset.name, dtype, pass, {}, {}}));
          ++programs;
        }
      }
    }
  }
  EXPECT_GE(programs, 18);
}

TEST_F(ProgramTextTest, SoDoProgramsThatPassesMade) {
  expect_round_trip(build("attention", "forward", {{"attention", "decomposed"}}));
  const Axes everything = {{"optimizer", "adamw"},
                           {"micro-batches", "2"},
                           {"checkpoint", "layer"},
                           {"backward", "callables"},
                           {"optimizer-in", "eager"}};
  for (const char* workload : {"mlp", "attention", "conv"}) {
    SCOPED_TRACE(workload);
    expect_round_trip(build(workload, "training", everything));
    expect_round_trip(build(workload, "training", {{"optimizer", "sgd"}, {"optimizer-in", "backward"}}));
    expect_round_trip(build(workload, "training", {{"accumulate", "end"}}));
  }
}

TEST_F(ProgramTextTest, NamesMayHoldAnything) {
  const OpCatalog catalog;
  ProgramBuilder builder("quotes \" and \\ and\nlines", catalog);
  const ValueId x = builder.value(ValueKind::input, "x y\t\x01", DType::fp32, {of_batch(), fixed_dim(4)},
                                  {Init::Kind::uniform, -0.1, 1e300});
  builder.mark_output(builder.op("relu", "r \xC3\xA4", {x}, {})[0]);
  builder.pad_with(x, 0.3);
  const std::string text = write_program(builder.finish());
  EXPECT_EQ(write_program(read_program(text, catalog)), text);
  EXPECT_THAT(text, HasSubstr(R"("quotes \22 and \5c and\0alines")"));
}

TEST_F(ProgramTextTest, WhatIsWrongIsRefusedByItsLine) {
  const std::string text = write_program(build());
  EXPECT_EQ(failure(""), "line 1: \"graphbench program 1\" is missing");
  EXPECT_THAT(failure(text.substr(0, text.size() - 1)), HasSubstr("it is cut short"));
  EXPECT_THAT(failure(text + "x"), HasSubstr("something follows the program"));
  EXPECT_THAT(failure_of("program 1", "program 2"), HasSubstr("line 1: "));
  EXPECT_EQ(failure_of("micro_batches 1", "micro_batches 0"), "line 3: a number is below what it may be");
  EXPECT_THAT(failure_of("micro_batches 1", "micro_batches 01"), HasSubstr("not written as programs are"));
  EXPECT_THAT(failure_of("values ", "values 99999"), HasSubstr("line 6: it says that more follow than do"));
  EXPECT_THAT(failure_of("value input", "value inputs"), HasSubstr("is not a word that may come here"));
  EXPECT_THAT(failure_of("op \"linear\"", "op \"nonlinear\""), HasSubstr("unknown op kind \"nonlinear\""));
  EXPECT_THAT(failure_of("traits 0 1 0", "traits 0 0 0"), HasSubstr("its kind has other traits here"));
  EXPECT_THAT(failure_of("mutates 0", "mutates 1 0"), HasSubstr("does not write what its kind writes"));
}

// Whatever is cut off or changed, the reader neither crashes nor gives a program that is another text.
TEST_F(ProgramTextTest, NoByteThatIsChangedMakesAnUnsoundProgram) {
  const std::string text = write_program(build("attention"));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ (1 << i % 7));
    EXPECT_NE(
        test::failure([&] { EXPECT_EQ(write_program(read_program(changed, registry_.catalog())), changed); }),
        "");
    if (i % 7 == 0) EXPECT_NE(failure(text.substr(0, i)), "none");
  }
}

}  // namespace
}  // namespace graphbench::ir
