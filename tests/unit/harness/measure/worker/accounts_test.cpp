// Tests busy time, gaps and the longest kernels, from made-up records, and the phases of a step's enqueues.
// Tests the accounts of memory with a made-up driver: growth by stage, and graphs that take it in chunks.
#include <gtest/gtest.h>

#include "graphs/abi/plugin.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "harness/measure/machine/exec_memory.hpp"
#include "harness/measure/worker/memory_ledger.hpp"
#include "harness/measure/worker/phase_times.hpp"
#include "harness/measure/worker/profile_summary.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/sample_plan.hpp"
#include "tests/unit/harness/measure/worker/task_run_fixture.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::measure {
namespace {

Activity kernel(std::string name, double start, double end) {
  return {Activity::Kind::kernel, std::move(name), start, end};
}

TEST(BusyTime, CountsOverlapOnceAndGapsBetween) {
  const BusyTime time =
      busy_time({kernel("c", 10, 12), kernel("a", 1, 4), kernel("b", 2, 3), kernel("d", 3.5, 6)});
  EXPECT_DOUBLE_EQ(time.busy_seconds, 7);
  EXPECT_DOUBLE_EQ(time.gap_seconds, 4);
}

TEST(BusyTime, OfNothingIsZero) {
  EXPECT_EQ(busy_time({}).busy_seconds, 0);
  EXPECT_EQ(busy_time({}).gap_seconds, 0);
}

TEST(StepRecords, CompareKernelsByNameAndCountThoseThatOneSideLacks) {
  const RecordedStep eager{0, {kernel("a", 0, 1), kernel("b", 2, 3), kernel("a", 4, 5)}};
  const RecordedStep other_order{
      0, {kernel("b", 0, 1), kernel("a", 1, 2), kernel("memset32", 1, 2), kernel("a", 2, 3)}};
  const model::StepRecords same = summarize_records({other_order}, {eager});
  EXPECT_EQ(same.other_kernels, 0);
  EXPECT_TRUE(same.differences.empty());
  EXPECT_EQ(same.kernels, 3);
  EXPECT_EQ(same.operations, 4);
  EXPECT_DOUBLE_EQ(same.busy_seconds, 3);

  const RecordedStep branched{
      0, {kernel("a", 0, 1), kernel("mask", 2, 3), {Activity::Kind::copy, "copy", 3, 5}}};
  const model::StepRecords different = summarize_records({branched}, {eager});
  EXPECT_EQ(different.kernels, 2);
  EXPECT_EQ(different.eager_kernels, 3);
  EXPECT_EQ(different.operations, 3);
  EXPECT_EQ(different.other_kernels, 3);
  EXPECT_EQ(different.differences,
            (std::vector<std::string>{"2 eager, 1 here: a", "1 eager, 0 here: b", "0 eager, 1 here: mask",
                                      "0 eager, 1 here: copy of 0 bytes"}));
  EXPECT_EQ(different.other_copies, 1);
}

Activity in_graph(Activity activity) {
  activity.in_graph = true;
  return activity;
}

TEST(StepRecords, CountTheDriversKernelsForCopiesOfAGraphAsCopies) {
  const Activity copy{Activity::Kind::copy, "copy", 1, 2, 512};
  const RecordedStep eager{0, {kernel("a", 0, 1), copy}};
  const RecordedStep graph{0, {in_graph(kernel("a", 0, 1)), in_graph(kernel("memcpy32_post", 1, 2))}};
  const model::StepRecords same = summarize_records({graph}, {eager}, {.all = true, .copies = {{512}}});
  EXPECT_FALSE(model::is_other_program(same));
  EXPECT_EQ(same.kernels, 1);
  EXPECT_EQ(same.copies, 1);
  const model::StepRecords lost = summarize_records({graph}, {eager}, {.all = true, .copies = {{}}});
  EXPECT_TRUE(model::is_other_program(lost));
  EXPECT_EQ(lost.differences, std::vector<std::string>{"1 eager, 0 here: copy of 512 bytes"});
  // Where a graph cannot be read, the driver's kernels have no bytes, and copies are only counted.
  EXPECT_FALSE(model::is_other_program(summarize_records({graph}, {eager}, {.all = true, .copies = {}})));
}

TEST(StepRecords, KeepWhatAFrameworkAddsBesideAGraphApart) {
  const RecordedStep eager{0, {kernel("draw", 0, 1)}};
  const RecordedStep graph{0, {kernel("set_seed", 0, 1), in_graph(kernel("draw", 1, 2))}};
  const model::StepRecords whole = summarize_records({graph}, {eager}, {.all = true, .copies = {{}}});
  EXPECT_FALSE(model::is_other_program(whole));
  EXPECT_EQ(whole.framework_kernels, 1);
  const model::StepRecords parts = summarize_records({graph}, {eager}, {.all = false, .copies = {{}}});
  EXPECT_TRUE(model::is_other_program(parts)) << "beside pieces run ops of the step";
}

TEST(StepRecords, KeepCopiesOfInputsBesideALibrarysGraphApart) {
  const RecordedStep eager{0, {kernel("a", 0, 1), kernel("b", 1, 2)}};
  const RecordedStep here{0, {kernel("copy_inputs", 0, 1), in_graph(kernel("a", 1, 2)), kernel("b", 2, 3)}};
  const model::StepRecords records = summarize_records({here}, {eager}, {.all_but_copies = true});
  EXPECT_FALSE(model::is_other_program(records));
  EXPECT_EQ(records.framework_kernels, 1);
  EXPECT_EQ(records.kernels, 2);
  EXPECT_EQ(records.graphed_kernels, 1) << "eager runs b too, so it is the step's";
  EXPECT_EQ(summarize_records({here}, {eager}).kernels, 3) << "it said that it left a part out";
  const RecordedStep none{0, {kernel("c", 0, 1)}};
  EXPECT_EQ(summarize_records({none}, {eager}, {.all_but_copies = true}).kernels, 1) << "it took no graph";
}

TEST(StepRecords, CountTheKernelsThatGraphsRan) {
  const RecordedStep eager{0, {kernel("a", 0, 1), kernel("b", 1, 2)}};
  const RecordedStep part{0,
                          {in_graph(kernel("a", 0, 1)), kernel("b", 1, 2), in_graph(kernel("memset", 2, 3))}};
  EXPECT_EQ(summarize_records({eager}, {eager}).graphed_kernels, 0);
  EXPECT_EQ(summarize_records({part}, {eager}).graphed_kernels, 1);
  EXPECT_EQ(summarize_records({part}, {eager}).kernels, 2);
}

TEST(Profile, IsTheMedianOverSteps) {
  const model::Profile profile = summarize_profile({{4, {kernel("a", 0, 1), kernel("b", 2, 3)}},
                                                    {12, {kernel("a", 0, 9), kernel("b", 10, 11)}},
                                                    {6, {kernel("a", 0, 2), kernel("b", 4, 5)}}});
  EXPECT_DOUBLE_EQ(profile.device_seconds, 6);
  EXPECT_EQ(profile.steps, 3);
  EXPECT_EQ(profile.kernels, 2);
  EXPECT_DOUBLE_EQ(profile.busy_seconds, 3);
  EXPECT_DOUBLE_EQ(profile.gap_seconds, 1);
  ASSERT_EQ(profile.top.size(), 2u);
  EXPECT_EQ(profile.top[0].name, "a");
  EXPECT_DOUBLE_EQ(profile.top[0].seconds, 2);
  EXPECT_EQ(profile.top[0].count, 1);
}

TEST(Profile, CopiesAreBusyTimeButNoKernels) {
  const model::Profile profile = summarize_profile({{4, {{Activity::Kind::copy, "copy", 0, 4}}}});
  EXPECT_EQ(profile.kernels, 0);
  EXPECT_DOUBLE_EQ(profile.busy_seconds, 4);
}

TEST(KernelOps, NameEachOpOnceAndNothingOfNoOp) {
  KernelOps ops;
  for (const char* op : {"up", "down", "up", ""}) ops.add(op, {kernel("gemm", 0, 1), kernel("gemm", 1, 2)});
  ops.add("", {kernel("fill", 2, 3)});
  model::Profile profile = summarize_profile({{4, {kernel("gemm", 0, 2), kernel("fill", 2, 3)}}});
  ops.name(profile.top);
  EXPECT_EQ(profile.top[0].ops, (std::vector<std::string>{"up", "down"}));
  EXPECT_TRUE(profile.top[1].ops.empty());
}

// The medians of event times and recorded times are 6 and 5, but in no step do the two differ by 1.
TEST(DeviceTimeCheck, ComparesStepByStep) {
  const model::DeviceTimeCheck witness =
      summarize_time_check({{6, {kernel("a", 0, 2), kernel("b", 3, 4)}},  // 2 more than its records
                            {4, {kernel("a", 0, 5)}},                     // 1 less
                            {12, {kernel("a", 1, 8), kernel("b", 8, 10)}}},
                           {{3, {kernel("guard", 0, 1), kernel("guard", 1, 2)}}});  // 3 more
  EXPECT_EQ(witness.steps, 3);
  EXPECT_DOUBLE_EQ(witness.device_seconds, 6);
  EXPECT_DOUBLE_EQ(witness.recorded_seconds, 5);
  EXPECT_DOUBLE_EQ(witness.difference_seconds, 2);
  EXPECT_DOUBLE_EQ(witness.events_seconds, 1);
}

TEST(Profile, KeepsTheTenLongest) {
  std::vector<Activity> step;
  for (int i = 0; i < 12; ++i)
    step.push_back(kernel(std::string("k").append(std::to_string(i)), 100.0 * i, 101.0 * i + 1));
  const model::Profile profile = summarize_profile({{1, step}});
  ASSERT_EQ(profile.top.size(), 10u);
  EXPECT_EQ(profile.top[0].name, "k11");
  EXPECT_EQ(profile.top[9].name, "k2");
}

ir::Program trained(const ir::OpCatalog& catalog) {
  ir::ProgramBuilder builder("p", catalog);
  const ir::Shape square{ir::fixed_dim(4), ir::fixed_dim(4)};
  const ir::ValueId x =
      builder.value(ir::ValueKind::input, "x", ir::DType::fp32, {ir::of_batch(), ir::fixed_dim(4)}, {});
  const ir::ValueId w = builder.value(ir::ValueKind::weight, "w", ir::DType::fp32, square, {});
  builder.mark_output(builder.op("linear", "a", {x, w}, {})[0]);
  return ir::differentiate(
      builder.finish(), catalog,
      {.optimizer = ir::Optimizer::adamw, .accumulate = ir::Accumulate::end, .micro_batches = 2});
}

std::vector<std::string> phases(const std::vector<PhaseRun>& runs) {
  std::vector<std::string> names;
  for (const PhaseRun& run : runs)
    names.push_back(run.phase + (" " + std::to_string(run.first)) + " " + std::to_string(run.last));
  return names;
}

TEST(PhaseRuns, AreOpsOfOnePhaseInARowAndSumsOfGradientsAreBackward) {
  const ir::OpCatalog catalog;
  const ir::Program program = trained(catalog);
  std::vector<execution::StepItem> items;
  for (ir::OpId id = 0; id < program.ops().size(); ++id) items.push_back({nullptr, nullptr, nullptr, id, id});
  // Each of two micro-batches: forward, loss, gradient. Then the sum, the count of steps and the update.
  EXPECT_EQ(phases(phase_runs(program, items)),
            (std::vector<std::string>{"forward 0 2", "backward 2 3", "forward 3 5", "backward 5 7",
                                      "optimizer 7 9"}));
}

TEST(PhaseRuns, AreNoneWhereAGraphHoldsSeveralPhases) {
  const ir::OpCatalog catalog;
  const ir::Program program = trained(catalog);
  EXPECT_EQ(
      phases(phase_runs(program, {{nullptr, nullptr, nullptr, 0, 1}, {nullptr, nullptr, nullptr, 2, 2}})),
      (std::vector<std::string>{"forward 0 1", "backward 1 2"}));
  EXPECT_TRUE(phase_runs(program, {{nullptr, nullptr, nullptr, 0, 8}}).empty());
  EXPECT_TRUE(
      phase_runs(program, {{nullptr, nullptr, nullptr, 0, 1}, {nullptr, nullptr, nullptr, 2, 3}}).empty());
}

constexpr std::int64_t mebi = 1 << 20;
constexpr std::int64_t node_bytes = 3174;

// A device whose driver reserves memory for execs in quanta of 2 MiB.
class WeighedDevice final : public test::FakeDevice {
 public:
  std::int64_t hidden = 500 * mebi;
  std::int64_t bytes_per_node = node_bytes;
  std::int64_t exec_bytes = 0;  // per exec, in addition to its nodes
  std::int64_t held = 0;        // reserved bytes that execs use first
  std::int64_t room = mebi * mebi;
  bool speaks = true;
  std::optional<MemoryUse> memory_use() override {
    if (!speaks) return std::nullopt;
    const std::int64_t needed = log.nodes_instantiated * bytes_per_node + log.instantiations * exec_bytes;
    const std::int64_t quanta = (std::max(needed - held, std::int64_t{0}) + 2 * mebi - 1) / (2 * mebi);
    if (quanta * 2 * mebi > room) throw Error(ErrorCode::out_of_memory, "instantiate: too much");
    return MemoryUse{allocated_bytes() + static_cast<std::size_t>(hidden + quanta * 2 * mebi), false};
  }
};

class MemoryLedgerTest : public ::testing::Test {
 protected:
  using Account = MemoryLedger::Account;
  MemoryLedgerTest() {
    workloads::add_builtin(registry_);
    task_ = test::sample_task("whole", {8});
    program_.emplace(build_program(registry_, task_));
    rig_.emplace(task_, device_, *program_);
  }
  // A batch's setup and a visit, with another growth of memory in each stage.
  model::Memory weigh() {
    MemoryLedger ledger(device_, *rig_);
    device_.hidden += 3 * mebi;
    rig_->allocate(8);
    const Buffer scratch(device_, 5 * mebi);
    rig_->graph_pool()->release(rig_->graph_pool()->allocate(6 * mebi));
    ledger.begin(Account::graphs);
    device_.hidden += 7 * mebi;
    ledger.begin(Account::code);
    device_.hidden += 11 * mebi;  // what the first launch of the graphs reserves
    ledger.begin(Account::other);
    device_.hidden += 13 * mebi;
    return ledger.close();
  }

  abi::WorkloadRegistry registry_;
  model::WorkerTask task_;
  WeighedDevice device_;
  std::optional<ir::Program> program_;
  std::optional<TaskRig> rig_;
};

TEST_F(MemoryLedgerTest, BooksEachGrowthToItsStage) {
  const model::Memory memory = weigh();
  EXPECT_EQ(memory.context_bytes, 500 * mebi);
  EXPECT_EQ(memory.code_bytes, 14 * mebi);
  EXPECT_EQ(memory.static_bytes, static_cast<std::int64_t>(rig_->buffers().bytes()));
  EXPECT_EQ(memory.workspace_bytes, 5 * mebi);
  EXPECT_EQ(memory.pool_bytes, 6 * mebi);
  EXPECT_EQ(memory.pool_in_use_bytes_max, 6 * mebi);
  EXPECT_EQ(memory.used_bytes, 545 * mebi + *memory.static_bytes);
  EXPECT_EQ(memory.witness, "device");
  EXPECT_EQ(memory.graphs_bytes, 7 * mebi);
  EXPECT_EQ(memory.unaccounted_bytes, 13 * mebi);
}

// The first execs of these graphs fit into memory that the driver has already reserved.
TEST_F(MemoryLedgerTest, GraphsThatTakeNothingLeaveNothingUnaccounted) {
  MemoryLedger ledger(device_, *rig_);
  rig_->allocate(8);
  ledger.begin(Account::graphs);
  ledger.begin(Account::other);
  const model::Memory memory = ledger.close();
  EXPECT_EQ(memory.graphs_bytes, 0);
  EXPECT_EQ(memory.unaccounted_bytes, 0);
}

TEST_F(MemoryLedgerTest, WhatOthersGiveBackMeanwhileIsInNoAccountOfGraphs) {
  MemoryLedger ledger(device_, *rig_);
  rig_->allocate(8);
  ledger.begin(Account::graphs);
  device_.hidden -= 3 * mebi;
  ledger.begin(Account::other);
  const model::Memory memory = ledger.close();
  EXPECT_EQ(memory.graphs_bytes, 0);
  EXPECT_EQ(memory.unaccounted_bytes, -3 * mebi);
}

TEST_F(MemoryLedgerTest, HasNoAccountsOfADriverThatDoesNotSpeak) {
  device_.speaks = false;
  const model::Memory memory = weigh();
  EXPECT_FALSE(memory.used_bytes || memory.context_bytes || memory.code_bytes || memory.graphs_bytes ||
               memory.unaccounted_bytes);
  EXPECT_EQ(memory.workspace_bytes, 5 * mebi);
}

class Step {
 public:
  Step(test::CallLog& log, std::size_t graphs, std::size_t nodes) {
    for (std::size_t i = 0; i < graphs; ++i) graphs_.push_back(std::make_unique<test::FakeGraph>(log, nodes));
  }
  StepGraphs graphs() const {
    StepGraphs graphs;
    for (const auto& graph : graphs_) graphs.push_back(graph.get());
    return graphs;
  }

 private:
  std::vector<std::unique_ptr<test::FakeGraph>> graphs_;
};

using Costs = std::vector<std::optional<ExecCost>>;

class ExecMemoryTest : public ::testing::Test {
 protected:
  Costs measure(const std::vector<StepGraphs>& steps) {
    return ExecMemory(device_, *stream_).costs_of(steps);
  }
  WeighedDevice device_;
  std::unique_ptr<Stream> stream_ = device_.make_stream();
};

TEST_F(ExecMemoryTest, KnowsAGraphToTheResolutionAtEveryBatchWhereverTheFirstLies) {
  const Step step(device_.log, 1, 40);
  const std::vector<StepGraphs> batches(9, step.graphs());
  constexpr double truth = 40 * node_bytes;
  double least = truth, most = truth, resolution = 0;
  for (int run = 0; run < 40; ++run) {
    device_.log.nodes_instantiated += 17 * run;  // nodes of other graphs
    const std::int64_t before = device_.log.instantiations;
    for (const auto& cost : measure(batches)) {
      ASSERT_TRUE(cost);
      EXPECT_NEAR(cost->bytes, truth, cost->resolution_bytes);
      EXPECT_LE(cost->resolution_bytes, cost->bytes / 20);
      least = std::min(least, cost->bytes);
      most = std::max(most, cost->bytes);
      resolution = cost->resolution_bytes;
    }
    EXPECT_LT(device_.log.instantiations - before, 400) << "they are measured together";
  }
  EXPECT_LT(most - least, resolution) << "what compare allows";
}

TEST_F(ExecMemoryTest, GraphsThatAreNotAlikeAreMeasuredApart) {
  device_.exec_bytes = 100'000;
  const Step whole(device_.log, 1, 40), pieces(device_.log, 8, 3), none(device_.log, 0, 0);
  const Costs costs = measure({whole.graphs(), pieces.graphs(), none.graphs(), whole.graphs()});
  EXPECT_NEAR(costs[0]->bytes, 40 * node_bytes + 100'000, costs[0]->resolution_bytes);
  EXPECT_NEAR(costs[1]->bytes, 24 * node_bytes + 800'000, costs[1]->resolution_bytes);
  EXPECT_LE(costs[1]->resolution_bytes, costs[1]->bytes / 20);
  EXPECT_FALSE(costs[2].has_value());
  EXPECT_EQ(costs[3]->bytes, costs[0]->bytes);
}

TEST_F(ExecMemoryTest, KnowsGraphsThatAreLargerThanAQuantumToAPartOfIt) {
  device_.held = 20 * mebi;
  const Step step(device_.log, 1, 5000);
  const Costs costs = measure({step.graphs()});
  EXPECT_NEAR(costs[0]->bytes, 5000 * node_bytes, costs[0]->resolution_bytes);
  EXPECT_LE(costs[0]->resolution_bytes, 2.0 * mebi / 3);
  EXPECT_LE(device_.log.instantiations, 8);
}

TEST_F(ExecMemoryTest, SaysACoarserResolutionWhereItStopsAtItsBound) {
  device_.bytes_per_node = 256;  // 20 quanta would be 160,000 nodes
  const Step step(device_.log, 1, 40);
  const Costs costs = measure({step.graphs()});
  EXPECT_NEAR(costs[0]->bytes, 40 * 256, costs[0]->resolution_bytes);
  EXPECT_GT(costs[0]->resolution_bytes, costs[0]->bytes / 10);
  EXPECT_LT(device_.log.nodes_instantiated, 200'000);
}

// The driver would reuse the memory of a destroyed exec, so later execs would cause no growth.
TEST_F(ExecMemoryTest, KeepsItsExecs) {
  const Step step(device_.log, 1, 40);
  ExecMemory memory(device_, *stream_);
  EXPECT_TRUE(memory.costs_of({step.graphs()}).front().has_value());
  EXPECT_EQ(device_.log.live_graphs, device_.log.instantiations + 1);
}

TEST_F(ExecMemoryTest, SaysNothingWhereNoDriverSpeaksOrNothingGrowsAndNeverZero) {
  const Step step(device_.log, 1, 40);
  device_.speaks = false;
  EXPECT_FALSE(measure({step.graphs()}).front().has_value());
  device_.speaks = true;
  device_.bytes_per_node = 0;
  EXPECT_FALSE(measure({step.graphs()}).front().has_value());
  device_.bytes_per_node = node_bytes;
  device_.log.instantiations = 0;
  device_.room = 30 * mebi;
  EXPECT_FALSE(measure({step.graphs()}).front().has_value()) << "the memory is too small";
}

class MemoryStageTest : public TaskRunTest {
 protected:
  // Runs the memory stage alone, for batches whose graphs were never launched.
  void measure() {
    open_ = [] { return std::make_unique<WeighedDevice>(); };
    with_run(program(), [](TaskRun& run) {
      run.placement.emplace(run.task, run.open, run.make_rig, run.pin);
      run.placement->rig().allocate(4);
      run.memory.emplace();
      for (BatchRun& batch : run.batches) {
        model::Setup setup{};
        batch.executor = run.placement->rig().prepare(
            batch.size, setup, [](std::string_view) {}, false);
        batch.result.status = model::CellStatus::ok;
      }
      measure_memory(run);
    });
  }
};

TEST_F(MemoryStageTest, SaysWhatAnExecOfEveryBatchCostsInTheFirstLaunchAlone) {
  measure();
  ASSERT_EQ(events_.memories.size(), 3u);
  for (const auto& [batch, memory] : events_.memories) {
    EXPECT_GT(*memory.exec_resolution_bytes, 0);
    EXPECT_GE(*memory.exec_bytes, 19 * *memory.exec_resolution_bytes);
    EXPECT_EQ(*memory.exec_bytes, *events_.memories.at(1).exec_bytes) << "their graphs are alike";
  }
  task_.launch = 1;
  measure();
  for (const auto& [batch, memory] : events_.memories)
    EXPECT_FALSE(memory.exec_bytes || memory.exec_resolution_bytes);
}

}  // namespace
}  // namespace graphbench::measure
