// Tests streams, events, graphs, memory and data on a GPU, that failed captures leave no state behind, and
// memset nodes: they stay as recorded, or kernel nodes with the same effect replace them (workspace only).
#include "graphs/cuda/stream.hpp"

#include <cuda_runtime_api.h>

#include <functional>
#include <map>

#include "gpu_fixture.hpp"
#include "graphs/cuda/graph.hpp"
#include "graphs/cuda/status.hpp"
#include "graphs/ir/random_fill.hpp"
#include "tests/support/foreign_op.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::cuda {
namespace {

class StreamTest : public GpuTest {
 protected:
  template <class T>
  std::vector<T> read(Stream& stream, const void* source, std::size_t count) {
    std::vector<T> values(count);
    stream.copy_to_host(values.data(), source, count * sizeof(T));
    stream.synchronize();
    return values;
  }
};

// The launch function of an op that synchronises its stream, which no capture permits.
int launch_waiting(const gb_op_call*, void* const*, void* stream, void* swallow) {
  const cudaError_t status = cudaStreamSynchronize(static_cast<cudaStream_t>(stream));
  return swallow != nullptr ? 0 : static_cast<int>(status);
}

class WaitingOp {
 public:
  explicit WaitingOp(void* swallow = nullptr) {
    record_.launch_cuda = launch_waiting;
    record_.user = swallow;
    definition_.kind = "test_kind";
    definition_.foreign = &record_;
    op_.kind = "test_kind";
    op_.name = "layer3.mine";
    op_.definition = &definition_;
    call_.op = &op_;
    call_.batch = 1;
    call_.operands = {{ir::DType::fp32, {64}}, {ir::DType::fp32, {64}}};
    call_.input_count = 1;
  }
  std::unique_ptr<Kernel> prepare(Device& device) { return device.make_kernel(call_); }

 private:
  gb_op record_ = test::foreign_op("test_kind", nullptr);
  ir::OpDefinition definition_;
  ir::Op op_;
  ir::OpCall call_;
};

ErrorCode code_thrown(const std::function<void()>& action) {
  const Error error = test::error_of(action);
  EXPECT_NE(std::string(error.what()).find(": "), std::string::npos) << error.what();
  return error.code();
}

void expect_capture_works(CudaDevice& device, Stream& stream) {
  Buffer buffer(device, 256);
  stream.begin_capture();
  stream.fill_bytes(buffer.data(), 7, 256);
  const std::unique_ptr<Graph> graph = stream.end_capture();
  EXPECT_EQ(graph->node_count(), 1u);
  graph->instantiate()->launch(stream);
  std::vector<unsigned char> bytes(256);
  stream.copy_to_host(bytes.data(), buffer.data(), 256);
  stream.synchronize();
  EXPECT_EQ(bytes.back(), 7);
}

TEST_F(StreamTest, AnOpThatWaitsFailsTheCaptureAndTheNextCaptureWorks) {
  WaitingOp op;
  const std::unique_ptr<Kernel> kernel = op.prepare(device());
  const std::unique_ptr<Stream> stream = device().make_stream();
  void* operands[2] = {};
  stream->begin_capture();
  EXPECT_EQ(code_thrown([&] { kernel->launch(*stream, operands); }), ErrorCode::capture_unsupported);
  stream->abandon_capture();
  EXPECT_FALSE(stream->capturing());
  expect_capture_works(device(), *stream);
}

TEST_F(StreamTest, AnErrorThatAnOpSwallowsShowsAtTheEndOfTheCapture) {
  int swallow = 1;
  WaitingOp op(&swallow);
  const std::unique_ptr<Kernel> kernel = op.prepare(device());
  const std::unique_ptr<Stream> stream = device().make_stream();
  void* operands[2] = {};
  stream->begin_capture();
  kernel->launch(*stream, operands);
  EXPECT_EQ(code_thrown([&] { stream->end_capture(); }), ErrorCode::capture_invalidated);
  EXPECT_FALSE(stream->capturing());
  expect_capture_works(device(), *stream);
}

TEST_F(StreamTest, AForkThatIsNotJoinedFailsTheCaptureAndTheNextCaptureWorks) {
  const std::unique_ptr<Stream> stream = device().make_stream();
  const std::unique_ptr<Stream> fork = device().make_stream();
  Buffer buffer(device(), 256);
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  stream->begin_capture();
  ASSERT_EQ(cudaEventRecord(event, static_cast<cudaStream_t>(stream->native_handle())), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(static_cast<cudaStream_t>(fork->native_handle()), event, 0), cudaSuccess);
  fork->fill_bytes(buffer.data(), 1, 256);
  EXPECT_EQ(code_thrown([&] { stream->end_capture(); }), ErrorCode::capture_unjoined);
  expect_capture_works(device(), *stream);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

TEST_F(StreamTest, FillGivesTheBitsOfTheFormula) {
  const std::unique_ptr<Stream> stream = device().make_stream();
  const ir::Init uniform{ir::Init::Kind::uniform, -0.7, 1.3};
  for (const ir::DType dtype : {ir::DType::fp32, ir::DType::fp16, ir::DType::bf16, ir::DType::i32}) {
    HostTensor expected{{dtype, {5001}}, {}};
    for (std::uint64_t i = 0; i < 5001; ++i) expected.values.push_back(ir::uniform_at(42, i, -0.7f, 1.3f));
    Buffer buffer(device(), expected.desc.bytes());
    device().fill(*stream, buffer.data(), dtype, 5001, uniform, 42);
    EXPECT_EQ(read<unsigned char>(*stream, buffer.data(), expected.desc.bytes()), encode(expected))
        << ir::name_of(dtype);
  }
}

TEST_F(StreamTest, FillWithAConstantWritesIt) {
  const std::unique_ptr<Stream> stream = device().make_stream();
  Buffer buffer(device(), 4096);
  device().fill(*stream, buffer.data(), ir::DType::i32, 1024, {ir::Init::Kind::constant, 1023.0, 0.0}, 1);
  EXPECT_EQ(read<std::int32_t>(*stream, buffer.data(), 1024), std::vector<std::int32_t>(1024, 1023));
}

TEST_F(StreamTest, TheDriverSaysHowMuchMemoryThisProcessUses) {
  constexpr std::size_t bytes = std::size_t{256} << 20;
  const std::optional<MemoryUse> before = device().memory_use();
  ASSERT_TRUE(before.has_value());
  EXPECT_GT(before->bytes, std::size_t{64} << 20) << "a context";
  constexpr double slack = 4 << 20;  // for page tables
  const auto before_bytes = static_cast<double>(before->bytes);
  const auto bytes_used = [&] { return static_cast<double>(device().memory_use()->bytes); };
  const std::size_t allocated = device().allocated_bytes();
  {
    const Buffer buffer(device(), bytes);
    EXPECT_EQ(device().allocated_bytes(), allocated + bytes);
    if (before->of_process) {
      EXPECT_NEAR(bytes_used(), before_bytes + bytes, slack);
    }
  }
  EXPECT_EQ(device().allocated_bytes(), allocated);
  if (before->of_process) {
    EXPECT_NEAR(bytes_used(), before_bytes, slack);
  }
}

TEST_F(StreamTest, ADescriptionSaysWhichEdgesAreProgrammatic) {
  const ir::OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const ir::Program program = b.ending_in(b.one("relu", "relu", {b.input("x", test::batched({}))}));
  const std::unique_ptr<Kernel> relu = device().make_kernel(program.call(0, 64));
  const Buffer buffer(device(), 64 * sizeof(float));
  void* operands[] = {buffer.data(), buffer.data()};
  const std::unique_ptr<Stream> stream = device().make_stream();
  stream->begin_capture();
  for (int i = 0; i < 2; ++i) relu->launch(*stream, operands);
  const std::vector<facts::DescribedNode> nodes = stream->end_capture()->describe();
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_NE(nodes[0].function, "");
  EXPECT_EQ(nodes[0].facts.count("grid"), 1u);
  EXPECT_EQ(nodes[0].facts.count("programmatic_edges"), 0u);
  const bool on = device().info().libraries.at("programmatic launch") == "on";
  EXPECT_EQ(nodes[1].facts.count("programmatic_edges"), on ? 1u : 0u);
}

TEST_F(StreamTest, NoEdgeIsProgrammaticWhereFullOnesAreAskedFor) {
  CudaDevice own(0);
  own.use_full_edges();
  const ir::OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const ir::Program program = b.ending_in(b.one("relu", "relu", {b.input("x", test::batched({}))}));
  const std::unique_ptr<Kernel> relu = own.make_kernel(program.call(0, 64));
  const Buffer buffer(own, 64 * sizeof(float));
  void* operands[] = {buffer.data(), buffer.data()};
  const std::unique_ptr<Stream> stream = own.make_stream();
  stream->begin_capture();
  for (int i = 0; i < 2; ++i) relu->launch(*stream, operands);
  EXPECT_EQ(stream->end_capture()->describe().at(1).facts.count("programmatic_edges"), 0u);
}

TEST_F(StreamTest, InfoNamesDeviceAndLibraries) {
  const facts::DeviceFacts& info = device().info();
  EXPECT_FALSE(info.pci_bus_id.empty());
  EXPECT_EQ(info.kind, "cuda");
  EXPECT_FALSE(info.name.empty());
  EXPECT_EQ(info.uuid.size(), 40u);
  EXPECT_FALSE(info.driver.empty());
  EXPECT_EQ(info.libraries.count("cublasLt"), 1u);
  EXPECT_EQ(info.libraries.count("cudnn"), 1u);
}

constexpr std::size_t bytes = 4096;

class MemsetNodesTest : public GpuTest {
 protected:
  static std::map<cudaGraphNodeType, int> types_of(Graph& graph) {
    auto* handle = static_cast<cudaGraph_t>(graph.native_handle());
    std::size_t count = 0;
    check(cudaGraphGetNodes(handle, nullptr, &count), "count");
    std::vector<cudaGraphNode_t> nodes(count);
    check(cudaGraphGetNodes(handle, nodes.data(), &count), "list");
    std::map<cudaGraphNodeType, int> types;
    for (const cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      check(cudaGraphNodeGetType(node, &type), "ask");
      ++types[type];
    }
    return types;
  }
};

TEST_F(MemsetNodesTest, BecomeKernelNodesInTheWorkspaceAloneAndKeepTheirOrder) {
  const Buffer workspace(device(), bytes);
  const Buffer elsewhere(device(), bytes);
  const Buffer copies(device(), 3 * bytes);
  auto* copy = static_cast<std::byte*>(copies.data());
  CudaStream stream(DeviceRange{static_cast<const std::byte*>(workspace.data()), bytes});
  stream.begin_capture();
  stream.fill_bytes(workspace.data(), 0xab, bytes);
  stream.copy_on_device(copy, workspace.data(), bytes);
  check(cudaMemsetAsync(workspace.data(), 0x11, bytes, stream.handle()), "set");
  stream.copy_on_device(copy + bytes, workspace.data(), bytes);
  stream.fill_bytes(elsewhere.data(), 0xcd, bytes);
  stream.copy_on_device(copy + 2 * bytes, elsewhere.data(), bytes);
  const std::unique_ptr<Graph> graph = stream.end_capture();
  std::map<cudaGraphNodeType, int> recorded = types_of(*graph);
  EXPECT_EQ(recorded[cudaGraphNodeTypeKernel], 0);
  EXPECT_EQ(recorded[cudaGraphNodeTypeMemset], 3);
  EXPECT_EQ(graph->replace_memset_nodes(), 2u);
  std::map<cudaGraphNodeType, int> types = types_of(*graph);
  EXPECT_EQ(types[cudaGraphNodeTypeKernel], 2);
  EXPECT_EQ(types[cudaGraphNodeTypeMemset], 1);
  EXPECT_EQ(types[cudaGraphNodeTypeMemcpy], 3);
  const std::unique_ptr<GraphExec> exec = graph->instantiate();
  for (int repeat = 0; repeat < 2; ++repeat) exec->launch(stream);
  std::vector<unsigned char> host(3 * bytes);
  stream.copy_to_host(host.data(), copy, host.size());
  stream.synchronize();
  for (std::size_t i = 0; i < host.size(); ++i) {
    const unsigned char expected = i < bytes ? 0xab : i < 2 * bytes ? 0x11 : 0xcd;
    ASSERT_EQ(host[i], expected) << i;
  }
}

TEST_F(MemsetNodesTest, StayWhereTheyAreNotWholeWords) {
  const Buffer workspace(device(), bytes);
  CudaStream stream(DeviceRange{static_cast<const std::byte*>(workspace.data()), bytes});
  stream.begin_capture();
  stream.fill_bytes(workspace.data(), 0xab, 7);
  const std::unique_ptr<Graph> graph = stream.end_capture();
  EXPECT_EQ(graph->replace_memset_nodes(), 0u);
  std::map<cudaGraphNodeType, int> types = types_of(*graph);
  EXPECT_EQ(types[cudaGraphNodeTypeMemset], 1);
  EXPECT_EQ(types[cudaGraphNodeTypeKernel], 0);
}

}  // namespace
}  // namespace graphbench::cuda
