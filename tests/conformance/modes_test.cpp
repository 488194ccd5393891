// Tests that graph modes compute the same bits as eager, on data written after the capture: also with a
// trace cache, whose recordings share one pool, and with a ladder, whose padding must not change other rows.
#include <boost/pfr/core.hpp>

#include "harness/ladder/route.hpp"
#include "harness/ladder/serve.hpp"
#include "harness/measure/worker/trace_cache.hpp"
#include "tests/conformance/program_fixture.hpp"

namespace graphbench::conformance {
namespace {

using ModeConformance = ProgramFixture;
using StateConformance = ProgramFixture;

TEST_P(ModeConformance, EqualsEagerOnFreshInputsOverTheWholeLadder) {
  Rig rig = make_rig(8);
  // Captures the largest batch first, as serving engines do, and replays the batches in another order.
  const std::int64_t ladder[] = {8, 3, 1};
  std::map<std::int64_t, std::unique_ptr<execution::Executor>> executors;
  for (const std::int64_t batch : ladder) executors[batch] = rig.prepare(mode(), batch);
  std::uint64_t seed = 100;
  for (const std::int64_t batch : {3, 8, 1, 3, 8}) {
    const std::vector<Bytes> expected = rig.eager_step(batch, ++seed);
    const std::vector<std::uint64_t> expected_state = rig.state_digests();
    EXPECT_EQ(rig.step(*executors[batch], batch, seed), expected) << "batch " << batch;
    EXPECT_EQ(rig.state_digests(), expected_state) << "state after batch " << batch;
  }
}

TEST_P(ModeConformance, OtherInputsGiveOtherOutputs) {
  Rig rig = make_rig(4);
  const auto executor = rig.prepare(mode(), 4);
  EXPECT_NE(rig.step(*executor, 4, 1), rig.step(*executor, 4, 2));
}

TEST_P(ModeConformance, CountsWhatItsGraphsHold) {
  Rig rig = make_rig(2);
  const auto executor = rig.prepare(mode(), 2);
  std::int64_t ops = 0;
  for (const ir::Op& op : rig.program().ops()) ops += op.traits.marker ? 0 : 1;
  const facts::GraphCounts counts = executor->counts().graphs;
  EXPECT_EQ(counts.captured_ops + counts.eager_ops, ops);
  // Each kernel launch of the step makes at least one node. One launch may do two ops.
  const auto launches = static_cast<std::int64_t>(executor->eager().items().size());
  EXPECT_GE(counts.contents.nodes + counts.eager_ops, launches);
  if (mode() == ExecutionMode::whole) {
    EXPECT_EQ(counts.pieces, 1);
    EXPECT_EQ(counts.eager_ops, 0);
    boost::pfr::for_each_field(counts.contents, [](std::int64_t count) { EXPECT_GT(count, 0); });
  } else {
    EXPECT_GT(counts.pieces, 1);
    const bool at_markers = rig.program().default_splits() == std::vector<std::string>{"boundary"};
    EXPECT_EQ(counts.eager_ops > 0, !at_markers);
  }
}

TEST_P(ModeConformance, ARewrittenGraphHasAsManyNodesAndComputesTheSame) {
  Rig rig = make_rig(4);
  const auto recorded = rig.prepare(mode(), 4);
  EXPECT_EQ(recorded->counts().graphs.rewritten_nodes, 0);
  rig.replace_memset_nodes();
  const auto rewritten = rig.prepare(mode(), 4);
  EXPECT_EQ(rewritten->counts().graphs.contents.nodes, recorded->counts().graphs.contents.nodes);
  EXPECT_LE(rewritten->counts().graphs.rewritten_nodes, rewritten->counts().graphs.contents.nodes);
  EXPECT_EQ(rig.step(*rewritten, 4, 7), rig.eager_step(4, 7));
}

TEST_P(StateConformance, StateCarriesOverFromStepToStep) {
  Rig rig = make_rig(4);
  ASSERT_FALSE(ir::mutated_state(rig.program()).empty());
  const auto executor = rig.prepare(mode(), 4);
  rig.reset(5);
  const std::vector<std::uint64_t> before = rig.state_digests();
  executor->submit();
  const std::vector<std::uint64_t> after = rig.state_digests();
  EXPECT_NE(after, before);
  executor->submit();
  EXPECT_EQ(rig.state_digests(), after) << "the same step on the same inputs writes the same state";
}

INSTANTIATE_TEST_SUITE_P(Devices, ModeConformance, graph_mode_parameters(all_programs()),
                         name_of_program_parameter);

INSTANTIATE_TEST_SUITE_P(Devices, StateConformance, graph_mode_parameters(programs_with_state()),
                         name_of_program_parameter);

using ShapesConformance = ProgramFixture;

// walk_shapes() itself compares outputs and state with eager's.
TEST_P(ShapesConformance, AStepIsRightWhateverWasRecordedAheadOfIt) {
  const ir::Program p = program();
  model::WorkerTask task;
  task.mode = std::string(execution::name_of(mode()));
  task.settings.sampling.seconds_max = 0.01;
  task.settings.instruments.shape_trace = {
      "steps.txt", 2, {{1, 1}, {8, 1}, {1, 1}, {3, 2}, {8, 1}, {3, 2}, {2, 3}, {8, 1}, {3, 2}}};
  measure::TaskRig rig(task, device(), p);
  rig.allocate(1);
  int traces = 0;
  const auto traced = [&](std::int64_t) {
    ++traces;
    return program();
  };
  std::vector<model::TraceSpan> spans;
  const model::ShapeWalk walk = measure::walk_shapes(
      task, rig, traced, [] {}, spans);
  std::vector<std::string> outcomes;
  for (const model::TracedStep& step : walk.traces) outcomes.push_back(step.outcome);
  EXPECT_EQ(outcomes.at(3), "traced");
  EXPECT_EQ(outcomes.at(4), "graph_hit");
  EXPECT_EQ(outcomes.at(5), "graph_hit");
  EXPECT_EQ(outcomes.at(6), "traced");
  EXPECT_EQ(outcomes.at(7), "traced") << "of two programs, the older one went";
  EXPECT_EQ(traces, 5);
  EXPECT_GT(walk.hit_seconds.value(), 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, ShapesConformance, graph_mode_parameters(base_programs()),
                         name_of_program_parameter);

using LadderConformance = ProgramFixture;

TEST_P(LadderConformance, ServesEveryStepAndPaddingReachesNoOtherRow) {
  const ir::Program p = program();
  for (const ladder::CaptureWhen when : {ladder::CaptureWhen::startup, ladder::CaptureWhen::lazy}) {
    ladder::ServeTask task;
    task.task.mode = std::string(execution::name_of(mode()));
    task.task.warmup = 1;
    task.sizes = {1, 3, 8};
    task.policy.when = when;
    task.rows = {8, 1, 5, 2, 9, 3, 8, 7, 1, 4};
    measure::TaskRig rig(task.task, device(), p);
    measure::StartupClock clock(0);
    ladder::ServeAnswer answer;
    ladder::serve(task, rig, clock, {[] {}, [&](std::uint64_t) { rig.release(); }}, answer);
    const ladder::Tally expected = ladder::tally(task.rows, task.sizes, task.policy, "");
    EXPECT_EQ(answer.launch.steps, expected.steps);
    EXPECT_EQ(answer.launch.padding.rows, expected.padding_rows);
    EXPECT_EQ(answer.launch.padding.graph_rows, expected.graph_rows);
    EXPECT_EQ(answer.launch.sizes.size(), 3u);
    ASSERT_TRUE(answer.check.has_value());
    EXPECT_TRUE(answer.check->identical);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, LadderConformance, graph_mode_parameters(base_programs()),
                         name_of_program_parameter);

using BranchConformance = ProgramFixture;

TEST_P(BranchConformance, AReplayTakesTheWayOfItsOwnPredicate) {
  Rig rig = make_rig(3);
  const ir::ValueId predicate = find(rig.program(), "taken");
  const auto executor = rig.prepare(mode(), 3);
  std::vector<std::vector<Bytes>> outcomes;
  for (const std::int32_t value : {0, 1, 0, -1}) {
    rig.reset(11);
    stream().copy_to_device(rig.buffers().address(predicate), &value, sizeof(value));
    executor->eager().submit();
    const std::vector<Bytes> expected = rig.outputs(executor->eager(), 3);
    executor->submit();
    outcomes.push_back(rig.outputs(*executor, 3));
    EXPECT_EQ(outcomes.back(), expected) << "predicate " << value;
  }
  EXPECT_NE(outcomes[0], outcomes[1]);
  EXPECT_EQ(outcomes[0], outcomes[2]);
  EXPECT_EQ(outcomes[1], outcomes[3]);
}

TEST_P(BranchConformance, PiecewiseSplitsAtItAndWholeHoldsIt) {
  Rig rig = make_rig(2);
  const facts::GraphCounts counts = rig.prepare(mode(), 2)->counts().graphs;
  EXPECT_EQ(counts.eager_ops > 0, mode() == ExecutionMode::piecewise);
  const auto executor = rig.prepare(mode(), 2);
  std::int64_t conditionals = 0;
  for (const facts::DescribedPiece& piece : executor->describe())
    for (const facts::DescribedNode& node : piece.nodes) conditionals += node.type == "conditional" ? 1 : 0;
  EXPECT_EQ(conditionals, mode() == ExecutionMode::whole ? 8 : 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, BranchConformance, graph_mode_parameters({base_programs()[8]}),
                         name_of_program_parameter);

using SwitchConformance = ProgramFixture;

// The arms' steps have memory of their own: a wrong arm leaves the results of an earlier seed in ours.
TEST_P(SwitchConformance, AStepIsThatOfItsOwnArm) {
  std::vector<std::unique_ptr<Rig>> rigs;
  std::vector<std::unique_ptr<execution::Executor>> steps;
  std::vector<execution::Executor*> arms;
  for (const std::int64_t batch : {3, 2, 1}) {
    rigs.push_back(std::make_unique<Rig>(device(), stream(), program(), 3));
    steps.push_back(rigs.back()->prepare(mode(), batch));
    arms.push_back(steps.back().get());
  }
  const Buffer selector(device(), sizeof(std::int32_t));
  if (steps.front()->counts().parts > 1) {
    EXPECT_EQ(error_code_of([&] { arms.front()->join_switch(arms, selector.data()); }),
              ErrorCode::unsupported);
    return;
  }
  arms.front()->join_switch(arms, selector.data());
  std::uint64_t seed = 0;
  for (const int arm : {0, 2, 1, 1, 2, 0, 1}) {
    Rig& rig = *rigs[arm];
    const std::int64_t batch = 3 - arm;
    const std::vector<Bytes> expected = rig.eager_step(batch, ++seed);
    arms[arm]->take_execs();
    EXPECT_EQ(rig.step(*arms[arm], batch, seed), expected) << "arm " << arm;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SwitchConformance,
                         graph_mode_parameters({base_programs()[0], base_programs()[1], base_programs()[3],
                                                base_programs()[8]}),
                         name_of_program_parameter);

using ForkConformance = ProgramFixture;

TEST_P(ForkConformance, ProductsSideBySideComputeTheSame) {
  if (!device().can_fork_captures()) GTEST_SKIP() << "this device cannot fork captures";
  Rig rig = make_rig(4);
  const auto serial = rig.prepare(mode(), 4);
  execution::ExecutionContext context = rig.context();
  context.forked = true;
  const auto forked = Rig::prepare(mode(), context, 4);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const std::vector<Bytes> expected = rig.eager_step(4, seed);
    EXPECT_EQ(rig.step(*forked, 4, seed), expected);
    EXPECT_EQ(rig.step(*serial, 4, seed), expected);
  }
  std::size_t joins = 0;
  for (const facts::DescribedPiece& piece : forked->describe())
    for (const facts::DescribedNode& node : piece.nodes) joins += node.after.size() == 3 ? 1 : 0;
  EXPECT_EQ(joins, 8u) << "each layer's rope waits for three products";
}

INSTANTIATE_TEST_SUITE_P(Devices, ForkConformance, graph_mode_parameters({base_programs()[9]}),
                         name_of_program_parameter);

using CaptureStreamConformance = ProgramFixture;

TEST_P(CaptureStreamConformance, GraphsAreRecordedOnAnotherStreamThanTheyRunOn) {
  Rig rig = make_rig(4);
  const std::vector<Bytes> expected = rig.eager_step(4, 9);
  const std::unique_ptr<Stream> other = device().make_stream();
  execution::ExecutionContext context = rig.context();
  context.capture_stream = other.get();
  const auto executor = Rig::prepare(mode(), context, 4);
  EXPECT_EQ(rig.step(*executor, 4, 9), expected);
}

INSTANTIATE_TEST_SUITE_P(Devices, CaptureStreamConformance, graph_mode_parameters(base_programs()),
                         name_of_program_parameter);

}  // namespace
}  // namespace graphbench::conformance
