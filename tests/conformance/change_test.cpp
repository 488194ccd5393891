// Tests changes of graphs: updates of an exec from another recording, new addresses in nodes, a recording
// released and made again, and captures on other streams. A refused change says what prevents it.
#include "tests/conformance/devices.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::conformance {
namespace {

class ChangeConformance : public BufferFixture {
 protected:
  // Begins a capture that fills buffer i with `byte` and copies it to buffer i + 1.
  void record_fill_and_copy(std::size_t i, int byte) {
    stream().begin_capture();
    stream().fill_bytes(at(i), byte, bytes);
    stream().copy_on_device(at(i + 1), at(i), bytes);
  }
  std::unique_ptr<Graph> fill_and_copy(std::size_t i, int byte) {
    record_fill_and_copy(i, byte);
    return stream().end_capture();
  }
};

TEST_P(ChangeConformance, AnUpdatedExecDoesWhatTheOtherGraphDoes) {
  const std::unique_ptr<GraphExec> exec = fill_and_copy(0, 5)->instantiate();
  std::unique_ptr<Graph> other = fill_and_copy(2, 9);
  const GraphUpdate update = exec->update(*other);
  other.reset();
  ASSERT_TRUE(update.done) << update.node << ": " << update.reason;
  exec->launch(stream());
  EXPECT_EQ(byte_at(1), 0) << "what the exec did before";
  EXPECT_EQ(byte_at(3), 9);
}

TEST_P(ChangeConformance, WhatWasEnqueuedBeforeAnUpdateRunsAsItWas) {
  const std::unique_ptr<GraphExec> exec = fill_and_copy(0, 5)->instantiate();
  const std::unique_ptr<Graph> other = fill_and_copy(2, 9);
  const std::unique_ptr<Graph> same = fill_and_copy(0, 6);
  for (int i = 0; i < 100; ++i) exec->launch(stream());
  ASSERT_TRUE(exec->update(*other).done);
  exec->launch(stream());
  ASSERT_TRUE(exec->update(*same).done);
  EXPECT_EQ(byte_at(1), 5);
  EXPECT_EQ(byte_at(3), 9);
}

TEST_P(ChangeConformance, AnUpdateToMoreNodesIsRefusedWithTheReason) {
  std::unique_ptr<GraphExec> exec = fill_and_copy(0, 5)->instantiate();
  record_fill_and_copy(0, 7);
  stream().fill_bytes(at(2), 8, bytes);
  const std::unique_ptr<Graph> longer = stream().end_capture();
  const GraphUpdate update = exec->update(*longer);
  EXPECT_FALSE(update.done);
  EXPECT_FALSE(update.reason.empty());
  exec = longer->instantiate();  // the way out after a refused update
  exec->launch(stream());
  EXPECT_EQ(byte_at(2), 8);
}

TEST_P(ChangeConformance, AnUpdateToAnotherOpIsRefused) {
  ir::OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const ir::ValueId x = b.input("x", {ir::fixed_dim(4), ir::of_batch()});
  const ir::Program program = b.ending_in(b.one("softmax", "softmax", {x}));
  const std::unique_ptr<Kernel> kernel = device().make_kernel(program.call(0, 64));
  const std::unique_ptr<GraphExec> exec = fill_and_copy(0, 5)->instantiate();
  void* operands[] = {at(0), at(1)};
  stream().begin_capture();
  stream().fill_bytes(at(0), 5, bytes);
  kernel->launch(stream(), operands);
  const std::unique_ptr<Graph> other = stream().end_capture();
  ASSERT_EQ(other->node_count(), 2u);
  const GraphUpdate update = exec->update(*other);
  EXPECT_FALSE(update.done);
  EXPECT_NE(update.node + update.reason, "");
}

TEST_P(ChangeConformance, AnUpdateToTheSameOpAtAnotherSizeIsDone) {
  ir::OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const ir::Program program =
      b.ending_in(b.one("relu", "relu", {b.input("x", {ir::of_batch(), ir::fixed_dim(4)})}));
  const std::unique_ptr<Kernel> large = device().make_kernel(program.call(0, bytes / 16));
  const std::unique_ptr<Kernel> small = device().make_kernel(program.call(0, bytes / 32));
  void* operands[] = {at(0), at(1)};
  const auto recorded = [&](Kernel& kernel) {
    stream().begin_capture();
    kernel.launch(stream(), operands);
    return stream().end_capture();
  };
  const std::unique_ptr<GraphExec> exec = recorded(*large)->instantiate();
  const std::unique_ptr<Graph> other = recorded(*small);
  ASSERT_TRUE(exec->update(*other).done);
  stream().fill_bytes(at(0), 0, bytes);
  stream().fill_bytes(at(1), 7, bytes);
  exec->launch(stream());
  std::vector<std::byte> left(bytes);
  stream().copy_to_host(left.data(), at(1), bytes);
  stream().synchronize();
  EXPECT_EQ(left.front(), std::byte{0});
  EXPECT_EQ(left.back(), std::byte{7}) << "the larger size ran";
}

TEST_P(ChangeConformance, ACopyNodeTakesOtherAddresses) {
  stream().begin_capture();
  stream().copy_on_device(at(1), at(0), bytes);
  const std::vector<GraphNode> nodes = stream().nodes_so_far();
  const std::unique_ptr<Graph> graph = stream().end_capture();
  ASSERT_EQ(nodes.size(), 1u);
  const std::unique_ptr<GraphExec> exec = graph->instantiate();
  stream().fill_bytes(at(0), 3, bytes);
  stream().fill_bytes(at(2), 4, bytes);
  exec->set_copy(nodes[0], {at(3), at(2), bytes});
  exec->launch(stream());
  EXPECT_EQ(byte_at(1), 0);
  EXPECT_EQ(byte_at(3), 4);
}

TEST_P(ChangeConformance, NodesOfAKernelTakeOtherAddresses) {
  ir::OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const ir::Program program = b.ending_in(b.one("relu", "relu", {b.input("x", test::batched({}))}));
  const std::unique_ptr<Kernel> relu = device().make_kernel(program.call(0, bytes / 4));
  ASSERT_EQ(relu->settable_nodes(), 1u);
  void* recorded[] = {at(0), at(1)};
  stream().begin_capture();
  stream().fill_bytes(at(0), 0x41, bytes);
  const std::size_t before = stream().nodes_so_far().size();
  relu->launch(stream(), recorded);
  std::vector<GraphNode> nodes = stream().nodes_so_far();
  nodes.erase(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(before));
  const std::unique_ptr<Graph> graph = stream().end_capture();
  const std::unique_ptr<GraphExec> exec = graph->instantiate();
  exec->launch(stream());
  stream().fill_bytes(at(2), 0x42, bytes);
  void* others[] = {at(2), at(3)};
  exec->set_operands(nodes, *relu, others);
  exec->launch(stream());
  EXPECT_EQ(byte_at(1), 0x41);
  EXPECT_EQ(byte_at(3), 0x42);
}

TEST_P(ChangeConformance, AGraphIsGivenUpAndCapturedAgain) {
  const std::unique_ptr<Graph> graph = fill_and_copy(0, 5);
  const std::unique_ptr<GraphExec> first = graph->instantiate();
  graph->reset();
  EXPECT_EQ(graph->node_count(), 0u);
  stream().begin_capture();
  stream().fill_bytes(at(2), 6, bytes);
  stream().end_capture(*graph);
  EXPECT_EQ(graph->node_count(), 1u);
  record_fill_and_copy(2, 7);  // a new recording also replaces a graph that is not empty
  stream().end_capture(*graph);
  EXPECT_EQ(graph->node_count(), 2u);
  graph->instantiate()->launch(stream());
  first->launch(stream());
  EXPECT_EQ(byte_at(1), 5);
  EXPECT_EQ(byte_at(3), 7);
}

TEST_P(ChangeConformance, AFailedCaptureLeavesTheGraphItWasMeantFor) {
  const std::unique_ptr<Graph> graph = fill_and_copy(0, 5);
  stream().begin_capture();
  EXPECT_EQ(error_code_of([&] { stream().synchronize(); }), ErrorCode::capture_unsupported);
  EXPECT_EQ(error_code_of([&] { stream().end_capture(*graph); }), ErrorCode::capture_invalidated);
  EXPECT_EQ(graph->node_count(), 2u);
}

TEST_P(ChangeConformance, ACaptureOnAStreamOfItsOwnRunsOnAnother) {
  const std::unique_ptr<Stream> own = device().make_stream();
  const std::unique_ptr<Stream> shared = device().default_stream();
  for (Stream* recorder : {own.get(), shared.get()}) {
    recorder->begin_capture();
    recorder->fill_bytes(at(0), recorder == own.get() ? 11 : 12, bytes);
    const std::unique_ptr<GraphExec> exec = recorder->end_capture()->instantiate();
    exec->launch(stream());
    EXPECT_EQ(byte_at(0), recorder == own.get() ? 11 : 12);
  }
  shared->begin_capture();
  shared->fill_bytes(at(1), 13, bytes);
  const std::unique_ptr<GraphExec> exec = shared->end_capture()->instantiate();
  exec->launch(*shared);
  shared->synchronize();
  EXPECT_EQ(byte_at(1), 13);
}

TEST_P(ChangeConformance, AThousandUpdatesLeaveMemoryWhereItWas) {
  const std::unique_ptr<Graph> graph = fill_and_copy(0, 1);
  const std::unique_ptr<GraphExec> exec = graph->instantiate();
  const auto update = [&](int i) {
    record_fill_and_copy(static_cast<std::size_t>(i) % 3, i % 100);
    stream().end_capture(*graph);
    ASSERT_TRUE(exec->update(*graph).done);
    exec->launch(stream());
  };
  for (int i = 0; i < 50; ++i) update(i);
  stream().synchronize();
  const std::size_t free_before = device().memory().free_bytes;
  for (int i = 0; i < 1000; ++i) update(i);
  EXPECT_EQ(byte_at(1), 99) << "update 999 filled buffer 0 and copied it";
  EXPECT_EQ(device().memory().free_bytes, free_before);
}

INSTANTIATE_TEST_SUITE_P(Devices, ChangeConformance, ::testing::ValuesIn(backends()), name_of_backend);

}  // namespace
}  // namespace graphbench::conformance
