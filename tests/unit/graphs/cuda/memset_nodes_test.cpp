// Memset nodes stay as recorded; where that is asked for, those in the workspace become kernel nodes that
// write the same, in the same order.
#include <map>

#include "gpu_fixture.hpp"
#include "graphs/cuda/graph.hpp"
#include "graphs/cuda/status.hpp"
#include "graphs/cuda/stream.hpp"

namespace graphbench::cuda {
namespace {

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
