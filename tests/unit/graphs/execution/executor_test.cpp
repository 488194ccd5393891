// Tests which ops each mode enqueues, which memory it uses, and what it refuses.
#include <cstdint>
#include <iterator>
#include <map>
#include <set>

#include "graphs/abi/foreign_op.hpp"
#include "tests/support/foreign_op.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/rig.hpp"
#include "tests/unit/graphs/execution/execution_fixture.hpp"

namespace graphbench::execution {
namespace {

using test::CallLog;
using ::testing::ElementsAre;

TEST_F(ExecutionTest, EagerLaunchesEveryOpInOrderAndNoMarker) {
  const auto executor = make_executor(ExecutionMode::eager, context(), 4);
  executor->submit();
  ASSERT_EQ(device_.log.launches.size(), 9u);
  EXPECT_EQ(device_.log.launches[0], "layer0.norm");
  EXPECT_EQ(device_.log.launches[3], "layer1.norm");
  EXPECT_EQ(executor->counts().graphs.eager_ops, 9);
  EXPECT_EQ(executor->counts().graphs.pieces, 0);
}

TEST_F(ExecutionTest, AModeWithoutACaseIsRefusedAndNotCutAsAnotherOne) {
  EXPECT_THAT(test::failure(
                  [&] { return segments_of(static_cast<ExecutionMode>(99), context().program, {}).size(); }),
              ::testing::HasSubstr("mode unknown has no segments"));
}

TEST_F(ExecutionTest, EagerReachesASteadyStateWithoutDeviceAllocations) {
  const auto executor = make_executor(ExecutionMode::eager, context(), 4);
  executor->submit();
  const auto allocations = device_.log.allocations;
  device_.log.operands.clear();
  executor->submit();
  const auto second = device_.log.operands;  // operands of the second step; the first still allocated blocks
  device_.log.operands.clear();
  executor->submit();
  EXPECT_EQ(device_.log.allocations, allocations);
  EXPECT_EQ(device_.log.operands, second);
  EXPECT_EQ(eager_pool_.statistics().in_use_bytes, 0u);
}

TEST_F(ExecutionTest, AnOpsOperandsAreDistinctWhileTheyLive) {
  make_executor(ExecutionMode::eager, context(), 4)->submit();
  ASSERT_FALSE(device_.log.operands.empty());
  for (const auto& operands : device_.log.operands)
    EXPECT_EQ(std::set<void*>(operands.begin(), operands.end()).size(), operands.size());
}

// q reads y0, k and v read x0, and only `after` reads q, so q must outlive k and v, which run concurrently.
ir::Program three_products(const ir::OpCatalog& catalog) {
  test::SmallBuilder b(catalog);
  const ir::ValueId x = b.one("relu", "x0", {b.input("x")});
  const ir::ValueId y = b.one("relu", "y0", {x});
  std::vector<ir::ValueId> heads;
  for (const char* name : {"q", "k", "v"})
    heads.push_back(b.one("linear", name, {*name == 'q' ? y : x, b.weight(std::string("w") + name)}));
  const ir::ValueId after = b.one("linear", "after", {heads[0], b.weight("wa")});
  return b.ending_in(b.one("add", "sum", {b.one("add", "kv", {heads[1], heads[2]}), after}));
}

TEST_F(ExecutionTest, ProductsSideBySideKeepWhatTheyReadUntilAllHaveEnded) {
  const ir::OpCatalog catalog;
  const ir::Program program = three_products(catalog);
  const StepKernels serial(device_, program, 4), forked(device_, program, 4, true);
  std::vector<std::size_t> side;
  for (const StepOp& op : forked.ops) side.push_back(op.side_by_side);
  EXPECT_THAT(side, ElementsAre(1, 1, 3, 1, 1, 1, 1, 1));
  for (const StepOp& op : serial.ops) EXPECT_EQ(op.side_by_side, 1u);
  const ir::ValueId x = program.ops()[3].inputs[0], y = program.ops()[2].inputs[0];
  EXPECT_TRUE(forked.ops[2].releases.empty());
  EXPECT_TRUE(forked.ops[3].releases.empty());
  EXPECT_THAT(forked.ops[4].releases, ElementsAre(y, x));
  EXPECT_EQ(device_.log.branches, (std::set<std::size_t>{0, 1, 2}))
      << "each of the three has scratch memory of its own";
}

TEST_F(ExecutionTest, WholeCapturesOnceAndReplaysWithOneLaunch) {
  const auto executor = make_executor(ExecutionMode::whole, context(), 4);
  prepare(*executor);
  EXPECT_EQ(device_.log.launches.size(), 9u);
  executor->submit();
  executor->submit();
  EXPECT_EQ(device_.log.graph_launches, 2);
  EXPECT_EQ(device_.log.launches.size(), 9u);
  const facts::GraphCounts counts = executor->counts().graphs;
  EXPECT_EQ(counts.pieces, 1);
  EXPECT_EQ(counts.contents.nodes, 9);
  EXPECT_EQ(counts.captured_ops, 9);
  EXPECT_EQ(counts.eager_ops, 0);
}

TEST_F(ExecutionTest, PiecewiseCapturesAPieceALayer) {
  const auto executor = make_executor(ExecutionMode::piecewise, context(), 4);
  prepare(*executor);
  EXPECT_EQ(executor->counts().graphs.pieces, 3);
  EXPECT_EQ(executor->counts().graphs.contents.nodes, 9);
  executor->submit();
  EXPECT_EQ(device_.log.graph_launches, 3);
}

TEST_F(ExecutionTest, ExecutorsOfOneTopologyShareExecsAndOthersKeepTheirs) {
  const auto large = make_executor(ExecutionMode::piecewise, context(), 4);
  const auto small = make_executor(ExecutionMode::piecewise, context(), 2);
  const auto whole = make_executor(ExecutionMode::whole, context(), 2);
  for (Executor* each : {large.get(), small.get(), whole.get()}) prepare(*each);
  const std::int64_t live = device_.log.live_graphs;
  EXPECT_FALSE(large->take_execs()) << "it has its own";
  EXPECT_FALSE(whole->share_execs(*large));
  EXPECT_EQ(device_.log.live_graphs, live);
  EXPECT_TRUE(small->share_execs(*large));
  EXPECT_EQ(device_.log.live_graphs, live - 3) << "an exec a piece";
  EXPECT_FALSE(small->take_execs()) << "they hold its graphs since then";
  EXPECT_TRUE(large->take_execs());
  EXPECT_FALSE(large->take_execs());
  EXPECT_TRUE(small->take_execs());
  device_.log.graph_launches = 0;
  small->submit();
  EXPECT_EQ(device_.log.graph_launches, 3);
}

TEST_F(ExecutionTest, AnExecIsNotSharedWhereItsUpdateIsRefusedOrWouldKeepAnAttribute) {
  const auto large = make_executor(ExecutionMode::whole, context(), 4);
  const auto small = make_executor(ExecutionMode::whole, context(), 2);
  const auto clustered = make_executor(ExecutionMode::whole, context(), 1);
  prepare(*large);
  prepare(*small);
  device_.log.attributes = {{"cluster", "2x1x1"}};
  prepare(*clustered);
  const std::int64_t live = device_.log.live_graphs;
  EXPECT_FALSE(clustered->share_execs(*large));
  device_.log.refuse_updates = true;
  EXPECT_FALSE(small->share_execs(*large));
  EXPECT_EQ(device_.log.live_graphs, live) << "each keeps its own exec";
  device_.log.refuse_updates = false;
  EXPECT_TRUE(small->share_execs(*large));
}

TEST_F(ExecutionTest, ARefusedCaptureNamesItsOp) {
  for (std::string CallLog::*const refusal : {&CallLog::not_in_captures, &CallLog::forks}) {
    device_.log.*refusal = "layer1.up";
    const auto executor = make_executor(ExecutionMode::whole, context(), 4);
    const Error error = test::error_of([&] { executor->capture(); });
    device_.log.*refusal = "";
    EXPECT_TRUE(refuses_capture(error.code()));
    EXPECT_THAT(error.what(), ::testing::StartsWith("capture op layer1.up (linear): "));
    EXPECT_FALSE(device_.log.capturing);
    prepare(*executor);
  }
}

TEST_F(ExecutionTest, GraphsAreInstantiatedAsRecordedUnlessARewriteIsAskedFor) {
  device_.log.memset_nodes = 2;
  const auto recorded = make_executor(ExecutionMode::piecewise, context(), 4);
  prepare(*recorded);
  EXPECT_EQ(recorded->counts().graphs.rewritten_nodes, 0);
  ExecutionContext rewriting = context();
  rewriting.replace_memset_nodes = true;
  const auto rewritten = make_executor(ExecutionMode::piecewise, rewriting, 4);
  prepare(*rewritten);
  EXPECT_EQ(rewritten->counts().graphs.rewritten_nodes, 6) << "of three pieces";
}

TEST_F(ExecutionTest, PiecewiseLaunchesSplittingOpsBetweenItsPieces) {
  const auto executor = make_executor(ExecutionMode::piecewise, context({"rmsnorm"}), 4);
  prepare(*executor);
  EXPECT_EQ(executor->counts().graphs.pieces, 3);
  EXPECT_EQ(executor->graphs().size(), 3u);
  EXPECT_TRUE(executor->eager().graphs().empty());
  EXPECT_EQ(executor->counts().graphs.eager_ops, 3);
  EXPECT_EQ(executor->counts().graphs.captured_ops, 6);
  device_.log.launches.clear();
  executor->submit();
  EXPECT_THAT(device_.log.launches, ElementsAre("layer0.norm", "layer1.norm", "layer2.norm"));
  EXPECT_EQ(device_.log.graph_launches, 3);
}

TEST_F(ExecutionTest, AnEagerSplittingOpWritesWhereItsConsumerWasCaptured) {
  const auto executor = make_executor(ExecutionMode::piecewise, context({"rmsnorm"}), 4);
  executor->capture();
  // The last capture recorded layer2.up and layer2.down. layer2.up reads what the eager norm op writes.
  const void* consumer_input = device_.log.operands[device_.log.operands.size() - 2][0];
  executor->instantiate();
  device_.log.operands.clear();
  executor->submit();
  EXPECT_EQ(device_.log.operands.back().back(), consumer_input);
}

TEST_F(ExecutionTest, SubmitMakesNoDeviceAllocationInTheGraphModes) {
  for (const ExecutionMode mode : {ExecutionMode::whole, ExecutionMode::piecewise}) {
    const auto executor = make_executor(mode, context(), 4);
    prepare(*executor);
    const auto allocations = device_.log.allocations;
    executor->submit();
    EXPECT_EQ(device_.log.allocations, allocations);
  }
}

TEST_F(ExecutionTest, FreeRangesAreRecordedOnlyOnRequest) {
  ExecutionContext recording = context();
  recording.record_free_ranges = true;
  const auto executor = make_executor(ExecutionMode::piecewise, recording, 4);
  executor->capture();
  const std::vector<std::vector<MemoryRange>> ranges = executor->free_ranges();
  ASSERT_EQ(ranges.size(), 3u);
  // The next piece reads this value, so its memory must not be among the free ranges.
  const auto* live = static_cast<const std::byte*>(device_.log.operands.back().at(2));
  for (const MemoryRange& range : ranges[1])
    EXPECT_FALSE(live >= range.data && live < range.data + range.bytes);
  const auto silent = make_executor(ExecutionMode::piecewise, context(), 4);
  silent->capture();
  EXPECT_TRUE(silent->free_ranges().empty());
}

// Layer 0's residual is the input x, no activation; that of layers 1 and 2 is the previous layer's output.
TEST_F(ExecutionTest, AResidualReadForTheLastTimeGivesItsMemoryToTheOutput) {
  device_.log.residuals_in_place = true;
  for (const ExecutionMode mode : {ExecutionMode::eager, ExecutionMode::whole, ExecutionMode::piecewise}) {
    device_.log.operands.clear();
    const auto executor = make_executor(mode, context(), 4);
    executor->capture();
    if (mode == ExecutionMode::eager) executor->submit();
    ASSERT_EQ(device_.log.operands.size(), 9u);
    const auto in_place = [&](std::size_t op) {
      return device_.log.operands[op][2] == device_.log.operands[op][3];
    };
    EXPECT_FALSE(in_place(2)) << name_of(mode);
    EXPECT_TRUE(in_place(5)) << name_of(mode);
    EXPECT_TRUE(in_place(8)) << name_of(mode);
    EXPECT_EQ(eager_pool_.statistics().in_use_bytes, 0u);
    EXPECT_EQ(graph_pool_.statistics().in_use_bytes, 0u);
  }
}

// a -> t -> t + a, as in a residual block: three blocks are live at once, or two if the sum is in place.
TEST_F(ExecutionTest, RunningInPlaceTakesABlockLess) {
  test::SmallBuilder b(catalog_);
  const ir::ValueId w = b.weight("w", test::fixed({64, 64}));
  const ir::ValueId a = b.one("relu", "a", {b.input("x", test::batched({64}))});
  const ir::ValueId t = b.one("linear", "t", {a, w});
  const ir::Program program = b.ending_in(b.one("linear", "y", {t, w, a}, {{"residual", std::int64_t{1}}}));
  ProgramBuffers buffers(device_, program, 8);
  const auto peak = [&](bool in_place) {
    device_.log.residuals_in_place = in_place;
    MemoryPool pool(device_);
    const ExecutionContext own{device_, *stream_, program, buffers, eager_pool_, &pool, {}};
    make_executor(ExecutionMode::whole, own, 8)->capture();
    return pool.statistics().in_use_bytes_max;
  };
  EXPECT_EQ(peak(false), 3u * 8 * 64 * 4);
  EXPECT_EQ(peak(true), 2u * 8 * 64 * 4);
}

TEST_F(ExecutionTest, BuffersLieInOneBlockWithoutMeetingOrEachApart) {
  for (const auto layout : {ProgramBuffers::Layout::together, ProgramBuffers::Layout::apart}) {
    const auto before = device_.log.live_allocations;
    ProgramBuffers buffers(device_, program_, 3, layout);
    std::map<std::uintptr_t, std::size_t> ranges;  // start address -> bytes
    for (ir::ValueId id = 0; id < program_.values().size(); ++id) {
      if (buffers.address(id) == nullptr) continue;
      const auto from = reinterpret_cast<std::uintptr_t>(buffers.address(id));
      ASSERT_TRUE(ranges.emplace(from, program_.describe(id, 3).bytes()).second);
    }
    ASSERT_GT(ranges.size(), 2u);
    for (auto range = ranges.begin(); std::next(range) != ranges.end(); ++range) {
      EXPECT_LE(range->first + range->second, std::next(range)->first);
      if (layout == ProgramBuffers::Layout::together) {
        EXPECT_EQ((range->first - ranges.begin()->first) % 512, 0u);
      }
    }
    const bool apart = layout == ProgramBuffers::Layout::apart;
    EXPECT_EQ(device_.log.live_allocations - before, apart ? static_cast<std::int64_t>(ranges.size()) : 1);
  }
}

TEST_F(ExecutionTest, BuffersTooLargeAreOutOfMemoryAndLeaveNothingBehind) {
  const auto before = device_.log.live_allocations;
  // At batch 2^62 the number of bytes does not fit into 64 bits.
  for (const std::int64_t batch : {std::int64_t{1} << 40, std::int64_t{1} << 62}) {
    const Error error = test::error_of([&] { ProgramBuffers buffers(device_, program_, batch); });
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory) << error.what();
  }
  EXPECT_EQ(device_.log.live_allocations, before);
}

class RefusedProgramTest : public ::testing::Test {
 protected:
  ErrorCode refusal(ExecutionMode mode, std::uint32_t flags, std::uint64_t mutated) {
    const gb_op op = test::foreign_op("mine", test::infer_same, nullptr, flags, mutated);
    ir::OpCatalog catalog;
    catalog.add(abi::foreign_definition(op));
    test::SmallBuilder b(catalog);
    test::FakeDevice device;
    const auto stream = device.make_stream();
    test::Rig rig(device, *stream, b.ending_in(b.one("mine", "m", {b.input("x")})), 1);
    try {
      rig.make(mode, 1);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;  // not refused
  }
};

class SilentDevice final : public test::FakeDevice {
 public:
  std::unique_ptr<Kernel> make_kernel(const ir::OpCall& call) override {
    if (call.op->kind == "mine") return std::make_unique<SilentKernel>();
    return FakeDevice::make_kernel(call);
  }

 private:
  class SilentKernel final : public Kernel {
   public:
    void launch(Stream&, void* const*) override {}
  };
};

// The error text of capturing relu -> "mine"; empty if it works. `infer` sets how many outputs "mine" has.
std::string refusal_of_silent_op(decltype(gb_op::infer) infer) {
  const gb_op op = test::foreign_op("mine", infer);
  ir::OpCatalog catalog;
  catalog.add(abi::foreign_definition(op));
  test::SmallBuilder builder(catalog);
  const ir::ValueId relu = builder.one("relu", "relu", {builder.input("x")});
  builder.mark_output(relu);
  for (const ir::ValueId output : builder.op("mine", "m", {relu}, {})) builder.mark_output(output);
  SilentDevice device;
  const auto stream = device.make_stream();
  test::Rig rig(device, *stream, builder.finish(), 1);
  try {
    rig.make(ExecutionMode::whole, 1)->capture();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::recorded_nothing);
    EXPECT_FALSE(stream->capturing());
    return error.what();
  }
  return "";
}

TEST(RecordedNothing, FailsTheCaptureWithTheOpsName) {
  EXPECT_THAT(refusal_of_silent_op(test::infer_same),
              ::testing::StartsWith("capture op m (mine): the launch function recorded no node"));
  EXPECT_EQ(refusal_of_silent_op(test::infer_nothing), "") << "an op that writes nothing";
}

TEST_F(RefusedProgramTest, WholeRefusesWhatNoGraphHoldsWherePiecewiseSplits) {
  EXPECT_EQ(refusal(ExecutionMode::whole, GB_OP_HOST, 0), ErrorCode::host_op);
  EXPECT_EQ(refusal(ExecutionMode::whole, GB_OP_NOT_CAPTURABLE, 0), ErrorCode::not_capturable_op);
  EXPECT_EQ(refusal(ExecutionMode::piecewise, GB_OP_HOST, 0), ErrorCode::internal);
  EXPECT_EQ(refusal(ExecutionMode::piecewise, GB_OP_NOT_CAPTURABLE, 0), ErrorCode::internal);
}

TEST_F(RefusedProgramTest, InputsMayBeWrittenWhereTheyAreTheCallers) {
  for (const ExecutionMode mode : {ExecutionMode::eager, ExecutionMode::whole, ExecutionMode::piecewise})
    EXPECT_EQ(refusal(mode, 0, 1), ErrorCode::internal);
}

}  // namespace
}  // namespace graphbench::execution
