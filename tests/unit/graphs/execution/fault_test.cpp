// Each device call fails in turn; whatever fails, no block and no graph is lost, no capture stays open,
// and the next attempt works.
#include "tests/unit/graphs/execution/execution_fixture.hpp"

namespace graphbench::execution {
namespace {

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
  const std::int64_t start = device_.log.calls;
  run_once();
  const std::int64_t calls = device_.log.calls - start;
  ASSERT_GT(calls, 15);
  eager_pool_.trim();
  graph_pool_.trim();
  const std::int64_t allocations_at_rest = device_.log.live_allocations;
  int failures = 0;
  for (std::int64_t fail = 1; fail <= calls; ++fail) {
    device_.log.fail_at = device_.log.calls + fail;
    try {
      run_once();
    } catch (const Error& error) {
      ++failures;
      EXPECT_EQ(error.code(), ErrorCode::device_failed);
    }
    device_.log.fail_at = 0;
    ASSERT_EQ(device_.log.live_graphs, 0) << "call " << fail;
    ASSERT_FALSE(device_.log.capturing) << "call " << fail;
    ASSERT_EQ(eager_pool_.statistics().in_use_bytes, 0u) << "call " << fail;
    ASSERT_EQ(graph_pool_.statistics().in_use_bytes, 0u) << "call " << fail;
    ASSERT_NO_THROW(run_once()) << "after call " << fail;
    eager_pool_.trim();
    graph_pool_.trim();
    ASSERT_EQ(device_.log.live_allocations, allocations_at_rest) << "call " << fail;
  }
  EXPECT_EQ(failures, calls);
}

INSTANTIATE_TEST_SUITE_P(Modes, FaultTest,
                         ::testing::Values(ExecutionMode::eager, ExecutionMode::whole,
                                           ExecutionMode::piecewise),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

}  // namespace
}  // namespace graphbench::execution
