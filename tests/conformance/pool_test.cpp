// Tests the pool that captures share: memory that it calls free holds nothing that a step still needs, and
// replays and captures leave none allocated. Ops in place give the same bits, a convolution also at the base
// workload's sizes, at which a library divides the work.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/conformance/devices.hpp"
#include "tests/conformance/program_fixture.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::conformance {
namespace {

using execution::MemoryRange;

// The parts of a pool's `segments` that are in none of its `free` ranges.
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
  // Submits one step item by item, and calls `after_item(i)` after item i to enqueue more work.
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
    rig.poison(rig.graph_pool().free_ranges());  // between steps the whole pool is free
    rig.reset(seed);
    submit_by_item(executor, [&](std::size_t i) { rig.poison(executor.free_ranges().at(i)); });
    EXPECT_EQ(rig.outputs(executor, batch), expected) << "batch " << batch;
  }
}

// Shows that the test above can fail: poisons memory that a later piece reads, and that is not free.
TEST_P(PoolConformance, APoisonedLiveBlockIsNoticed) {
  Rig rig = make_rig(4);
  const auto executor = rig.prepare(mode(), 4, true);
  const std::vector<Bytes> expected = rig.eager_step(4, 9);
  rig.reset(9);
  // The memory in use after item 0. If the step has no other item, only the outputs are in use there.
  // graph_pool().free_ranges() has all segments, because between steps each segment is one free range.
  const std::vector<MemoryRange> live =
      live_ranges(rig.graph_pool().free_ranges(), executor->free_ranges().at(0));
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
  // Does not wait between steps, so the number of enqueued steps is above the size of any queue.
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
  // Libraries and drivers allocate in the first cycles what they keep until the process ends.
  for (int i = 0; i < 10; ++i) cycle();
  const std::size_t free_before = device().memory().free_bytes;
  const std::size_t workspace_before = device().workspace_bytes();
  for (int i = 0; i < 200; ++i) cycle();
  EXPECT_EQ(device().memory().free_bytes, free_before);
  EXPECT_EQ(device().workspace_bytes(), workspace_before);
}

INSTANTIATE_TEST_SUITE_P(Devices, ChurnConformance, graph_mode_parameters(small_programs()),
                         name_of_program_parameter);

constexpr std::int64_t chain_width = 300;
constexpr std::int64_t chain_batch = 7;

double gelu_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

// gelu(relu(x)) + x. After each op nothing reads its first input again, so the op can overwrite it.
ir::Program chain(const ir::OpCatalog& catalog) {
  test::SmallBuilder b(catalog);
  const ir::ValueId x = b.input("x", test::batched({chain_width}));
  const ir::ValueId gelu = b.one("gelu_tanh", "gelu", {b.one("relu", "relu", {x})});
  return b.ending_in(b.one("add", "sum", {gelu, x}));
}

using InPlaceConformance = BackendFixture;

TEST_P(InPlaceConformance, AChainGivesTheRightNumbersInEveryMode) {
  const ir::OpCatalog catalog;
  const ir::Program program = chain(catalog);
  Rig rig = rig_of(program, chain_batch);
  for (const ExecutionMode mode : {ExecutionMode::eager, ExecutionMode::whole, ExecutionMode::piecewise}) {
    const auto executor = rig.prepare(mode, chain_batch);
    const std::vector<double> actual = decode(rig.step(*executor, chain_batch, 5).at(0), ir::DType::fp32);
    const std::vector<double> x = decode(
        rig.read(rig.buffers().address(0), chain_batch * chain_width * sizeof(float)), ir::DType::fp32);
    ASSERT_EQ(actual.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(actual[i], gelu_tanh(std::max(x[i], 0.0)) + x[i], 1e-5)
          << execution::name_of(mode) << " " << i;
    }
  }
}

TEST_P(InPlaceConformance, AChainNeedsOneBlockWhereItsOpsRunInPlace) {
  const ir::OpCatalog catalog;
  const ir::Program program = chain(catalog);
  const ir::OpCall add = program.call(2, chain_batch);
  const bool in_place = device().make_kernel(add)->in_place_input().has_value();
  Rig rig = rig_of(program, chain_batch);
  const auto executor = rig.prepare(ExecutionMode::whole, chain_batch);
  const std::size_t block = (chain_batch * chain_width * sizeof(float) + 511) / 512 * 512;
  EXPECT_EQ(rig.graph_pool().statistics().in_use_bytes_max, in_place ? block : 2 * block);
}

INSTANTIATE_TEST_SUITE_P(Devices, InPlaceConformance, ::testing::ValuesIn(backends()), name_of_backend);

ir::Program residual_convolution(const ir::OpCatalog& catalog, ir::DType dtype) {
  test::SmallBuilder b(catalog, dtype);
  const ir::Init small{ir::Init::Kind::uniform, -0.05, 0.05};
  const std::int64_t one = 1;
  const ir::Shape image = test::batched({56, 56, 64});
  const ir::ValueId x = b.input("x", image);
  const ir::ValueId w = b.weight("w", test::fixed({64, 3, 3, 64}), small);
  const ir::ValueId bias = b.weight("bias", test::fixed({64}));
  const ir::Attributes attributes = {
      {"bias", one}, {"residual", one}, {"padding", one}, {"activation", std::string("relu")}};
  return b.ending_in(b.one("conv2d", "op", {x, w, bias, b.input("residual", image)}, attributes));
}

class InPlaceOps : public BackendFixture {
 protected:
  void expect_same_bits(ir::DType dtype, std::int64_t batch) {
    SCOPED_TRACE(std::string(ir::name_of(dtype)) + ", batch " + std::to_string(batch));
    const ir::OpCatalog catalog;
    const ir::Program program = residual_convolution(catalog, dtype);
    const ir::OpCall call = program.call(0, batch);
    const std::unique_ptr<Kernel> kernel = device().make_kernel(call);
    const std::optional<std::size_t> position = kernel->in_place_input();
    ASSERT_EQ(position, 3u);
    Rig rig = rig_of(program, batch);
    rig.reset(3);
    const std::size_t bytes = call.output(0).bytes();
    const Buffer elsewhere(device(), bytes);
    std::vector<void*> operands;
    for (ir::ValueId id = 0; id < 4; ++id) operands.push_back(rig.buffers().address(id));
    operands.push_back(elsewhere.data());
    kernel->launch(stream(), operands.data());
    const std::uint64_t expected = device().digest(stream(), elsewhere.data(), bytes);
    for (int repeat = 0; repeat < 5; ++repeat) {  // a race would not show in every run
      rig.reset(3);
      operands.back() = operands[*position];
      kernel->launch(stream(), operands.data());
      ASSERT_EQ(device().digest(stream(), operands.back(), bytes), expected) << "repeat " << repeat;
    }
  }
};

TEST_P(InPlaceOps, Conv2dOverItsResidual) {
  for (const ir::DType dtype : {ir::DType::bf16, ir::DType::fp16, ir::DType::fp32}) {
    if (!device().supports(dtype)) continue;
    for (std::int64_t batch = 1; batch <= 256; batch *= 2) {
      expect_same_bits(dtype, batch);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, InPlaceOps, ::testing::ValuesIn(backends()), name_of_backend);

}  // namespace
}  // namespace graphbench::conformance
