// Many replays and many captures: nothing wears out and nothing is left behind.
#include "tests/conformance/program_fixture.hpp"

namespace graphbench::conformance {
namespace {

using ChurnConformance = ProgramFixture;

TEST_P(ChurnConformance, ReplaysAThousandTimes) {
  const ir::Program p = program();
  Rig rig(device(), stream(), p, 2);
  const auto executor = rig.prepare(mode(), 2);
  const std::vector<Bytes> expected = rig.eager_step(2, 3);
  const std::vector<std::uint64_t> expected_state = rig.state_digests();
  rig.reset(3);
  // Without a wait in between: more enqueues than any queue holds.
  for (int i = 0; i < 1000; ++i) executor->submit();
  EXPECT_EQ(rig.outputs(*executor, 2), expected);
  EXPECT_EQ(rig.state_digests(), expected_state);
}

TEST_P(ChurnConformance, CaptureCyclesLeaveMemoryWhereItWas) {
  const ir::Program p = program();
  Rig rig(device(), stream(), p, 2);
  const auto cycle = [&] {
    const auto executor = rig.prepare(mode(), 2);
    executor->submit();
    stream().synchronize();
  };
  // What libraries and drivers keep for good they take in the first cycles.
  for (int i = 0; i < 10; ++i) cycle();
  const std::size_t free_before = device().memory().free_bytes;
  const std::size_t workspace_before = device().workspace_bytes();
  for (int i = 0; i < 200; ++i) cycle();
  EXPECT_EQ(device().memory().free_bytes, free_before);
  EXPECT_EQ(device().workspace_bytes(), workspace_before);
}

INSTANTIATE_TEST_SUITE_P(Devices, ChurnConformance, graph_mode_parameters(small_programs()),
                         name_of_program_parameter);

}  // namespace
}  // namespace graphbench::conformance
