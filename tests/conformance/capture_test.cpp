// Tests streams, captures and failures: each is an Error with the expected code, and the next capture works.
#include <gmock/gmock.h>

#include <bit>

#include "graphs/abi/foreign_op.hpp"
#include "graphs/ir/random_fill.hpp"
#include "tests/conformance/devices.hpp"
#include "tests/conformance/plugin_op.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::conformance {
namespace {

class CaptureConformance : public BufferFixture {
 protected:
  std::unique_ptr<Graph> captured_fill(int byte) {
    stream().begin_capture();
    stream().fill_bytes(at(0), byte, bytes);
    return stream().end_capture();
  }
  void expect_next_capture_works() {
    ASSERT_FALSE(stream().capturing());
    const std::unique_ptr<Graph> graph = captured_fill(0x5A);
    EXPECT_EQ(graph->node_count(), 1u);
    const std::unique_ptr<GraphExec> exec = graph->instantiate();
    exec->upload(stream());
    exec->launch(stream());
    EXPECT_EQ(byte_at(0), 0x5A);
  }
};

TEST_P(CaptureConformance, RecordsInsteadOfRunning) {
  Buffer other(device(), bytes);
  stream().begin_capture();
  EXPECT_TRUE(stream().capturing());
  stream().fill_bytes(other.data(), 7, bytes);
  stream().copy_on_device(at(0), other.data(), bytes);
  const std::unique_ptr<Graph> graph = stream().end_capture();
  EXPECT_FALSE(stream().capturing());
  EXPECT_EQ(graph->node_count(), 2u);
  EXPECT_EQ(byte_at(0), 0);
  const std::unique_ptr<GraphExec> exec = graph->instantiate();
  EXPECT_EQ(byte_at(0), 0);
  exec->launch(stream());
  EXPECT_EQ(byte_at(0), 7);
}

TEST_P(CaptureConformance, TellsHowManyNodesItHoldsSoFar) {
  EXPECT_EQ(stream().recorded_nodes(), 0u);
  stream().begin_capture();
  EXPECT_EQ(stream().recorded_nodes(), 0u);
  for (const std::size_t recorded : {1u, 2u, 3u}) {
    stream().fill_bytes(at(0), 7, bytes);
    EXPECT_EQ(stream().recorded_nodes(), recorded);
  }
  EXPECT_EQ(stream().end_capture()->node_count(), 3u);
  EXPECT_EQ(stream().recorded_nodes(), 0u);
}

TEST_P(CaptureConformance, AGraphInstantiatedTwiceGivesTwoExecs) {
  std::unique_ptr<Graph> graph = captured_fill(9);
  std::unique_ptr<GraphExec> first = graph->instantiate();
  const std::unique_ptr<GraphExec> second = graph->instantiate();
  graph.reset();
  first->launch(stream());
  first.reset();
  EXPECT_EQ(byte_at(0), 9);
  stream().fill_bytes(at(0), 0, bytes);
  second->launch(stream());
  EXPECT_EQ(byte_at(0), 9);
}

TEST_P(CaptureConformance, SynchronizingInvalidatesTheCapture) {
  stream().begin_capture();
  stream().fill_bytes(at(0), 1, bytes);
  EXPECT_EQ(error_code_of([&] { stream().synchronize(); }), ErrorCode::capture_unsupported);
  EXPECT_EQ(error_code_of([&] { stream().end_capture(); }), ErrorCode::capture_invalidated);
  expect_next_capture_works();
}

TEST_P(CaptureConformance, AnInvalidCaptureCanBeAbandoned) {
  stream().begin_capture();
  EXPECT_EQ(error_code_of([&] { stream().synchronize(); }), ErrorCode::capture_unsupported);
  stream().abandon_capture();
  expect_next_capture_works();
}

TEST_P(CaptureConformance, AnAbandonedCaptureLeavesNothing) {
  stream().begin_capture();
  stream().fill_bytes(at(0), 1, bytes);
  stream().abandon_capture();
  EXPECT_EQ(byte_at(0), 0);
  stream().abandon_capture();  // without a capture it does nothing
  expect_next_capture_works();
}

TEST_P(CaptureConformance, CapturingTwiceIsRefused) {
  stream().begin_capture();
  EXPECT_THROW(stream().begin_capture(), Error);
  stream().abandon_capture();
  expect_next_capture_works();
}

TEST_P(CaptureConformance, EndingNoCaptureIsRefused) {
  EXPECT_THROW(stream().end_capture(), Error);
  expect_next_capture_works();
}

TEST_P(CaptureConformance, AnEmptyCaptureGivesAGraphThatDoesNothing) {
  stream().begin_capture();
  const std::unique_ptr<Graph> graph = stream().end_capture();
  EXPECT_EQ(graph->node_count(), 0u);
  graph->instantiate()->launch(stream());
  EXPECT_EQ(byte_at(0), 0);
}

TEST_P(CaptureConformance, EventsMeasureTheWorkBetweenThem) {
  const std::unique_ptr<Event> start = device().make_event();
  const std::unique_ptr<Event> stop = device().make_event();
  start->record(stream());
  for (int i = 0; i < 100; ++i) stream().fill_bytes(at(0), i, bytes);
  stop->record(stream());
  stream().synchronize();
  EXPECT_GT(stop->seconds_since(*start), 0.0);
  EXPECT_LT(stop->seconds_since(*start), 60.0);
}

TEST_P(CaptureConformance, FillsHaveTheSameBitsOnEveryDevice) {
  constexpr std::size_t many = 70'001;  // more elements than the threads that a GPU can run at once
  const Buffer large(device(), many * 4);
  device().fill(stream(), large.data(), ir::DType::fp32, many, {ir::Init::Kind::uniform, -2.0, 2.0}, 77);
  // Computes the expected fill and digest on the CPU, from graphs/ir/random_fill.hpp alone.
  std::vector<float> expected(many);
  std::uint64_t digest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = ir::uniform_at(77, i, -2.0f, 2.0f);
    digest += ir::digest_word(i, std::bit_cast<std::uint32_t>(expected[i]));
  }
  std::vector<float> filled(many);
  stream().copy_to_host(filled.data(), large.data(), many * 4);
  stream().synchronize();
  EXPECT_EQ(filled, expected);
  EXPECT_EQ(device().digest(stream(), large.data(), many * 4), digest);
  std::swap(filled[1], filled[60'000]);  // the digest depends on each word's place
  stream().copy_to_device(large.data(), filled.data(), many * 4);
  EXPECT_NE(device().digest(stream(), large.data(), many * 4), digest);
  EXPECT_EQ(error_code_of([&] { device().digest(stream(), at(0), 6); }), ErrorCode::invalid_argument);
}

TEST_P(CaptureConformance, MoreThanTheDeviceHasIsOutOfMemory) {
  EXPECT_EQ(error_code_of([&] { Buffer(device(), device().memory().total_bytes * 2); }),
            ErrorCode::out_of_memory);
  expect_next_capture_works();
}

bool plugin_fails = false;

gb_op failing_op() {
  gb_op op = test::foreign_op("test_sometimes_fails", infer_same);
  op.launch_cuda = [](const gb_op_call*, void* const* operands, void* stream, void*) {
    return plugin_fails ? 1 : fill_words(operands[1], 0, 1, stream);
  };
  op.run_host = [](const gb_op_call*, void* const*, void*) { return plugin_fails ? 3 : 0; };
  return op;
}

TEST_P(CaptureConformance, AFailingPluginOpCostsItsStepAndNothingElse) {
  const gb_op op = failing_op();
  test::SmallBuilder b(catalog_with(op));
  const ir::ValueId relu = b.one("relu", "relu", {b.input("x")});
  b.mark_output(b.one(op.kind, "sometimes", {relu}));
  const ir::Program program = b.ending_in(b.one("gelu_tanh", "gelu", {relu}));
  Rig rig(device(), stream(), program, 4);
  const std::vector<Bytes> expected = rig.eager_step(4, 1);

  // The op fails in capture() on CUDA, and in the replay on the host device, which calls the op only then.
  plugin_fails = true;
  const auto broken = rig.make(ExecutionMode::whole, 4);
  const Error error = test::error_of([&] {
    broken->capture();
    broken->instantiate();
    broken->submit();
    stream().synchronize();
  });
  plugin_fails = false;
  EXPECT_EQ(error.code(), ErrorCode::plugin_failed);
  EXPECT_THAT(error.what(), ::testing::HasSubstr("test_sometimes_fails"));
  EXPECT_EQ(rig.graph_pool().statistics().in_use_bytes, 0u);

  const auto working = rig.prepare(ExecutionMode::whole, 4);
  EXPECT_EQ(rig.step(*working, 4, 1).at(1), expected.at(1));
}

INSTANTIATE_TEST_SUITE_P(Devices, CaptureConformance, ::testing::ValuesIn(backends()), name_of_backend);

}  // namespace
}  // namespace graphbench::conformance
