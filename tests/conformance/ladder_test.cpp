// Steps of all sizes served from a few captured ones: counts are the traffic's arithmetic, padding reaches no
// other row, and captures inside requests work as those ahead of them.
#include "harness/ladder/route.hpp"
#include "harness/ladder/serve.hpp"
#include "tests/conformance/program_fixture.hpp"

namespace graphbench::conformance {
namespace {

using LadderConformance = ProgramFixture;

TEST_P(LadderConformance, ServesEveryStepAndPaddingReachesNoOtherRow) {
  const ir::Program p = program();
  for (const model::CaptureWhen when : {model::CaptureWhen::startup, model::CaptureWhen::lazy}) {
    ladder::ServeTask task;
    task.task.mode = std::string(execution::name_of(mode()));
    task.task.warmup = 1;
    task.sizes = {1, 3, 8};
    task.policy.when = when;
    task.rows = {8, 1, 5, 2, 9, 3, 8, 7, 1, 4};
    worker::TaskRig rig(task.task, device(), p);
    worker::StartupClock clock(0);
    ladder::ServeAnswer answer;
    ladder::serve(task, rig, p, clock, {[] {}, [&](std::uint64_t) { rig.release(); }}, answer);
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

}  // namespace
}  // namespace graphbench::conformance
