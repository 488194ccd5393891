// What a graph mode computes is what eager computes, to the bit, on data written after the capture.
#include "tests/conformance/program_fixture.hpp"

namespace graphbench::conformance {
namespace {

using ModeConformance = ProgramFixture;
using StateConformance = ProgramFixture;  // over programs that have state

TEST_P(ModeConformance, EqualsEagerOnFreshInputsOverTheWholeLadder) {
  const ir::Program p = program();
  Rig rig(device(), stream(), p, 8);
  // Largest first into one pool, as serving engines capture; replayed in another order.
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
  const ir::Program p = program();
  Rig rig(device(), stream(), p, 4);
  const auto executor = rig.prepare(mode(), 4);
  EXPECT_NE(rig.step(*executor, 4, 1), rig.step(*executor, 4, 2));
}

TEST_P(ModeConformance, CountsWhatItsGraphsHold) {
  const ir::Program p = program();
  Rig rig(device(), stream(), p, 2);
  const auto executor = rig.prepare(mode(), 2);
  std::int64_t ops = 0;
  for (const ir::Op& op : p.ops()) ops += op.traits.marker ? 0 : 1;
  const facts::GraphCounts counts = executor->counts().graphs;
  EXPECT_EQ(counts.captured_ops + counts.eager_ops, ops);
  // An op is a node at least, or two ops are where one kernel does both.
  const auto launches = static_cast<std::int64_t>(executor->eager().items().size());
  EXPECT_GE(counts.contents.nodes + counts.eager_ops, launches);
  if (mode() == ExecutionMode::whole) {
    EXPECT_EQ(counts.pieces, 1);
    EXPECT_EQ(counts.eager_ops, 0);
  } else {
    EXPECT_GT(counts.pieces, 1);
    const bool at_markers = p.default_splits() == std::vector<std::string>{"boundary"};
    EXPECT_EQ(counts.eager_ops > 0, !at_markers);
  }
}

TEST_P(ModeConformance, ARewrittenGraphHasAsManyNodesAndComputesTheSame) {
  const ir::Program p = program();
  Rig rig(device(), stream(), p, 4);
  const auto recorded = rig.prepare(mode(), 4);
  EXPECT_EQ(recorded->counts().graphs.rewritten_nodes, 0);
  rig.replace_memset_nodes();
  const auto rewritten = rig.prepare(mode(), 4);
  EXPECT_EQ(rewritten->counts().graphs.contents.nodes, recorded->counts().graphs.contents.nodes);
  EXPECT_LE(rewritten->counts().graphs.rewritten_nodes, rewritten->counts().graphs.contents.nodes);
  EXPECT_EQ(rig.step(*rewritten, 4, 7), rig.eager_step(4, 7));
}

TEST_P(StateConformance, StateCarriesOverFromStepToStep) {
  const ir::Program p = program();
  ASSERT_FALSE(ir::mutated_state(p).empty());
  Rig rig(device(), stream(), p, 4);
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

}  // namespace
}  // namespace graphbench::conformance
