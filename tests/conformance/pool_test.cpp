// The pool that captures share: nothing a step still needs lies in memory the pool calls free. And many
// replays and captures, after which nothing is worn out or left behind.
#include <algorithm>

#include "tests/conformance/program_fixture.hpp"

namespace graphbench::conformance {
namespace {

using pool::MemoryRange;

// What lies in `segments` and in none of `free`, both of one pool.
std::vector<MemoryRange> live_ranges(const std::vector<MemoryRange>& segments,
                                     std::vector<MemoryRange> free) {
  std::sort(free.begin(), free.end(), [](const auto& a, const auto& b) { return a.data < b.data; });
  std::vector<MemoryRange> live;
  for (const MemoryRange& segment : segments) {
    std::byte* at = segment.data;
    std::byte* const end = segment.data + segment.bytes;
    for (const MemoryRange& hole : free) {
      if (hole.data < at || hole.data >= end) continue;
      if (hole.data > at) live.push_back({at, static_cast<std::size_t>(hole.data - at)});
      at = hole.data + hole.bytes;
    }
    if (at < end) live.push_back({at, static_cast<std::size_t>(end - at)});
  }
  return live;
}

class PoolConformance : public ProgramFixture {
 protected:
  // One step with `after_item(i)` enqueued behind each of its items.
  template <typename AfterItem>
  void submit_by_item(const execution::Executor& executor, const AfterItem& after_item) {
    const std::vector<execution::StepItem> items = executor.items();
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].graph != nullptr) {
        items[i].graph->launch(stream());
      } else {
        items[i].kernel->launch(stream(), items[i].operands);
      }
      after_item(i);
    }
  }
};

TEST_P(PoolConformance, PoisonedFreeMemoryLeavesOutputsIdentical) {
  Rig rig = make_rig(8);
  std::map<std::int64_t, std::unique_ptr<execution::Executor>> executors;
  for (const std::int64_t batch : {8, 3, 1}) executors[batch] = rig.prepare(mode(), batch, true);
  std::uint64_t seed = 40;
  for (const std::int64_t batch : {1, 8, 3}) {
    const std::vector<Bytes> expected = rig.eager_step(batch, ++seed);
    const execution::Executor& executor = *executors[batch];
    rig.poison(rig.graph_pool().free_ranges());  // between batches all of it is free
    rig.reset(seed);
    submit_by_item(executor, [&](std::size_t i) { rig.poison(executor.free_ranges().at(i)); });
    EXPECT_EQ(rig.outputs(executor, batch), expected) << "batch " << batch;
  }
}

// The check of the test above can fail: memory that the next piece reads is not free.
TEST_P(PoolConformance, APoisonedLiveBlockIsNoticed) {
  Rig rig = make_rig(4);
  const auto executor = rig.prepare(mode(), 4, true);
  const std::vector<Bytes> expected = rig.eager_step(4, 9);
  rig.reset(9);
  // Behind the first item of several; of a single item, what lives behind it are the outputs.
  const std::vector<MemoryRange> live =
      live_ranges(rig.graph_pool().segments(), executor->free_ranges().at(0));
  ASSERT_FALSE(live.empty());
  submit_by_item(*executor, [&](std::size_t i) {
    if (i == 0) rig.poison(live);
  });
  EXPECT_NE(rig.outputs(*executor, 4), expected);
}

TEST_P(PoolConformance, SmallerBatchesFitIntoTheLargestOnesMemory) {
  Rig rig = make_rig(8);
  const auto largest = rig.prepare(mode(), 8);
  const std::size_t reserved = rig.graph_pool().statistics().reserved_bytes;
  const auto middle = rig.prepare(mode(), 3);
  const auto smallest = rig.prepare(mode(), 1);
  EXPECT_EQ(rig.graph_pool().statistics().reserved_bytes, reserved);
  EXPECT_EQ(rig.graph_pool().statistics().in_use_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Devices, PoolConformance, graph_mode_parameters(all_programs()),
                         name_of_program_parameter);

using ChurnConformance = ProgramFixture;

TEST_P(ChurnConformance, ReplaysAThousandTimes) {
  Rig rig = make_rig(2);
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
  Rig rig = make_rig(2);
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
