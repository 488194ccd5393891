// Tests a CallerExecutor's device calls, what is left after one fails, and memory of recomputed layers.
#include "graphs/execution/caller.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "graphs/execution/step_kernels.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/small_programs.hpp"
#include "tests/unit/graphs/execution/execution_fixture.hpp"

namespace graphbench::execution {
namespace {

class CallerTest : public ExecutionTest {
 protected:
  std::unique_ptr<Executor> ready(CallerMemory& caller, ExecutionMode mode = ExecutionMode::piecewise) {
    ExecutionContext own = context({"boundary"});
    own.caller = &caller;
    auto executor = make_executor(mode, own, 4);
    prepare(*executor);
    return executor;
  }
  IoCounts after_steps(Executor& executor, int steps) {
    for (int i = 0; i < steps; ++i) executor.submit();
    return *executor.io();
  }
};

TEST_F(CallerTest, ARefusedUpdateIsCountedNamedAndInstantiatedAnew) {
  CallerMemory caller(device_, program_, buffers_, {.form = IoForm::update});
  const auto executor = ready(caller);
  const std::int64_t instantiated = device_.log.instantiations;
  device_.log.refuse_updates = true;
  const IoCounts refused = after_steps(*executor, 2);
  EXPECT_EQ(refused.updates, 0);
  EXPECT_EQ(refused.updates_refused, 2 * refused.step.pieces_touched);
  EXPECT_EQ(refused.instantiations, refused.updates_refused);
  EXPECT_EQ(device_.log.instantiations - instantiated, refused.updates_refused);
  EXPECT_EQ(refused.step.updates_refused, static_cast<double>(refused.step.pieces_touched)) << "per step";
  EXPECT_EQ(refused.step.refused->code, "graph_update_failed");
  EXPECT_EQ(refused.step.refused->message, "piece 0, kernel node 1: not today");
  device_.log.refuse_updates = false;
  EXPECT_EQ(after_steps(*executor, 1).updates, refused.step.pieces_touched);
}

// No kernel of the fake device has settable nodes, so `set_params` uses copy nodes.
TEST_F(CallerTest, CopyNodesStandAtTheEdgesOfLibrarysKernels) {
  CallerMemory caller(device_, program_, buffers_, {.form = IoForm::set_params});
  const auto executor = ready(caller, ExecutionMode::whole);
  const ir::ValueId x = program_.values_of(ir::ValueKind::input).front();
  const ir::ValueId output = program_.values_of(ir::ValueKind::output).front();
  const auto& launches = device_.log.launches;
  ASSERT_EQ(launches.front(), "copy");
  EXPECT_EQ(launches.back(), "copy");
  EXPECT_EQ(std::count(launches.begin(), launches.end(), "copy"), 2) << "one copy serves all that read x";
  EXPECT_EQ(device_.log.operands[1].front(), buffers_.address(x)) << "the kernel keeps the graph's own";
  void* const own = device_.log.operands.back()[1];
  const std::size_t place = executor->next_place() + 1;
  executor->submit();
  device_.log.copies_set.clear();
  const IoCounts counts = after_steps(*executor, 1);
  EXPECT_EQ(counts.step.kernel_nodes_set, 0);
  EXPECT_EQ(counts.step.copy_nodes_set, 2);
  ASSERT_EQ(device_.log.copies_set.size(), 2u);
  EXPECT_EQ(device_.log.copies_set[0].source, caller.address(x, place));
  EXPECT_EQ(device_.log.copies_set[0].destination, buffers_.address(x));
  EXPECT_EQ(device_.log.copies_set[1].source, own);
  EXPECT_EQ(device_.log.copies_set[1].destination, caller.address(output, place));
}

TEST_F(CallerTest, SetsComeInTurnAndFreshPlacesDoNotComeAgainSoon) {
  for (const bool fresh : {false, true}) {
    CallerMemory caller(device_, program_, buffers_, {.form = IoForm::copy_in_out, .fresh_addresses = fresh});
    const auto executor = ready(caller);
    const ir::ValueId output = program_.values_of(ir::ValueKind::output).front();
    std::set<const void*> seen;
    for (int i = 0; i < 1024; ++i) {
      const std::size_t place = executor->next_place();
      executor->submit();
      EXPECT_EQ(executor->output(output), caller.address(output, place));
      seen.insert(executor->output(output));
    }
    EXPECT_EQ(seen.size(), fresh ? 1024u : 2u);
  }
}

TEST_F(CallerTest, WhatDoesNotDependOnTheBatchIsTheGraphsOwn) {
  test::SmallBuilder b(catalog_);
  const ir::ValueId x = b.input("x"), fixed = b.input("fixed", test::fixed({8}));
  b.mark_output(b.one("relu", "a", {x}));
  const ir::Program program = b.ending_in(b.one("relu", "b", {fixed}));
  ProgramBuffers buffers(device_, program, 8);
  CallerMemory caller(device_, program, buffers, {.form = IoForm::copy_in});
  EXPECT_TRUE(caller.moves(x));
  EXPECT_FALSE(caller.moves(fixed));
  EXPECT_EQ(caller.address(fixed, 1), buffers.address(fixed));
  ExecutionContext own = context_of(program, buffers);
  own.caller = &caller;
  const auto executor = make_executor(ExecutionMode::whole, own, 2);
  prepare(*executor);
  const IoCounts counts = after_steps(*executor, 1);
  EXPECT_EQ(counts.step.copies, 1);
  EXPECT_EQ(counts.step.copies_kept, 1);
  EXPECT_EQ(counts.step.copy_bytes, 2 * 8 * 4) << "of the batch, not of the largest";
  const CallerMemory both(device_, program, buffers, {.form = IoForm::copy_in_out});
  EXPECT_TRUE(both.moves(program.values_of(ir::ValueKind::output)[0]));
  EXPECT_FALSE(both.moves(program.values_of(ir::ValueKind::output)[1]));
}

// Inputs that do not depend on the batch have their addresses compared too, but always have the graph's own.
TEST_F(CallerTest, OnlyWhatMovedIsCopiedInTheShareOfStepsAskedFor) {
  test::SmallBuilder b(catalog_);
  const ir::ValueId x = b.input("x"), y = b.input("y"), fixed = b.input("fixed", test::fixed({8}));
  b.mark_output(b.one("add", "sum", {x, y}));
  const ir::Program program = b.ending_in(b.one("relu", "b", {fixed}));
  ProgramBuffers buffers(device_, program, 8);
  for (const std::size_t percent : {0, 50, 90, 99, 100}) {
    CallerMemory caller(device_, program, buffers, {.form = IoForm::copy_if_moved, .same_percent = percent});
    EXPECT_FALSE(caller.moves(program.values_of(ir::ValueKind::output)[0]));
    ExecutionContext own = context_of(program, buffers);
    own.caller = &caller;
    const auto executor = make_executor(ExecutionMode::whole, own, 2);
    prepare(*executor);
    device_.log.copies = 0;
    const IoCounts counts = after_steps(*executor, 200);
    EXPECT_EQ(device_.log.copies, 4 * static_cast<std::int64_t>(100 - percent)) << percent;
    EXPECT_DOUBLE_EQ(counts.step.copies, 2 * static_cast<double>(100 - percent) / 100);
    EXPECT_DOUBLE_EQ(counts.step.copies_kept, 1 + 2 * static_cast<double>(percent) / 100);
  }
}

TEST_F(CallerTest, OutputsAreCopiedWithoutInputs) {
  CallerMemory caller(device_, program_, buffers_, {.form = IoForm::copy_out});
  const auto executor = ready(caller);
  const ir::ValueId output = program_.values_of(ir::ValueKind::output).front();
  const std::size_t place = executor->next_place();
  const IoCounts counts = after_steps(*executor, 1);
  EXPECT_EQ(counts.step.copies, 1);
  EXPECT_EQ(counts.step.copies_kept, 1) << "x is written where the graph reads it";
  EXPECT_EQ(executor->output(output), caller.address(output, place));
}

TEST_F(CallerTest, WhateverCallFailsNothingIsLost) {
  for (const CallerSettings& settings :
       std::initializer_list<CallerSettings>{{.form = IoForm::copy_in_out},
                                             {.form = IoForm::copy_in_out, .source = IoSource::pinned},
                                             {.form = IoForm::copy_if_moved},
                                             {.form = IoForm::set_params},
                                             {.form = IoForm::update},
                                             {.form = IoForm::recapture},
                                             {.form = IoForm::exec_per_set}}) {
    EXPECT_GT(expect_each_call_may_fail([&] {
                CallerMemory caller(device_, program_, buffers_, settings);
                ready(caller)->submit();
              }),
              15);
  }
}

class FaultTest : public ExecutionTest, public ::testing::WithParamInterface<ExecutionMode> {
 protected:
  void run_once() {
    const auto executor = make_executor(GetParam(), context({"rmsnorm"}), 4);
    executor->warm_up();
    prepare(*executor);
    executor->submit();
  }
};

TEST_P(FaultTest, EveryCallMayFailOnce) {
  EXPECT_GT(expect_each_call_may_fail([this] { run_once(); }), 15);
}

INSTANTIATE_TEST_SUITE_P(Modes, FaultTest,
                         ::testing::Values(ExecutionMode::eager, ExecutionMode::whole,
                                           ExecutionMode::piecewise),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

class RecomputedTest : public ::testing::Test {
 protected:
  ir::ValueId linear(const std::string& name, ir::ValueId x, ir::Attributes attributes = {}) {
    return b_.one("linear", name, {x, b_.weight(name + ".w")}, std::move(attributes));
  }
  ir::OpCatalog catalog_;
  test::SmallBuilder b_{catalog_, ir::DType::bf16};
  test::FakeDevice device_;
};

TEST_F(RecomputedTest, AStepHoldsTheLayersInputsAndOneLayerAtOnce) {
  ir::ValueId x = b_.input("x");
  for (const std::string layer : {"a.", "b.", "c.", "d."})
    x = linear(layer + "down", linear(layer + "up", x, {{"activation", std::string("gelu_tanh")}}));
  const ir::Program forward = b_.ending_in(x);
  const ir::Program none = ir::differentiate(forward, catalog_, {});
  const ir::Program layer = ir::differentiate(forward, catalog_, {.checkpoint = ir::Checkpoint::layer});
  constexpr std::int64_t batch = 1024;
  constexpr std::size_t rows = batch * 8 * 2;  // bytes of one activation; all gradients of weights: 2 KiB
  const StepKernels kept(device_, none, batch), again(device_, layer, batch);
  EXPECT_EQ(kept.peak_bytes / rows, 13u)
      << "gelu's two of each layer, three inputs, the output, its gradient";
  EXPECT_EQ(again.peak_bytes / rows, 6u) << "three inputs; of one layer gelu's two, and a gradient";
  EXPECT_EQ(again.ops.size(), kept.ops.size() + 8);
  EXPECT_EQ(again.kernels.size(), kept.kernels.size())
      << "ops that run again have the kernel of the first time";
}

}  // namespace
}  // namespace graphbench::execution
