// The one place for what differs between the toolkits from CUDA 12.4 to 13: names, arguments, node types.
//
// The first names of each function work with drivers for CUDA 12.0. Later ones, which know edges that are
// more than a plain order, are called only if the driver has them. What cannot do without says so
// (require_cuda). cuBLASLt and cuDNN are not here: they are opened at run time.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "graphs/base/error.hpp"
#include "graphs/device/backend_module.hpp"

namespace graphbench::cuda {

inline constexpr int cuda_major = CUDART_VERSION / 1000;

inline constexpr int lazy_loading_since = 12020;      // by default
inline constexpr int edge_data_since = 12030;         // edges with ports and types; conditional nodes
inline constexpr int several_branches_since = 12080;  // IF with an else branch; SWITCH

// The newest CUDA version that the driver runs; 0 without a driver.
inline int driver_version() {
  static const int version = [] {
    int read = 0;
    (void)cudaDriverGetVersion(&read);
    return read;
  }();
  return version;
}

// True if this build and the driver both have what came with CUDA `version`.
inline bool has_cuda(int version) {
  return CUDART_VERSION >= version && driver_version() >= version;
}

// Throws Error(unsupported), which says what has which version.
inline void require_cuda(int version, const std::string& what) {
  if (has_cuda(version)) return;
  const std::string needed = cuda_version_text(version);
  throw Error(ErrorCode::unsupported, what + " needs CUDA " + needed + ": the driver runs CUDA " +
                                          cuda_version_text(driver_version()) +
                                          ", and this module is built with " +
                                          cuda_version_text(CUDART_VERSION));
}

// The nodes at the other ends of a node's edges. `data` stays as it was, which is plain, where edges have
// none.
inline cudaError_t read_dependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* data,
                                     std::size_t* count) {
#if CUDART_VERSION >= 13000
  return cudaGraphNodeGetDependencies(node, nodes, data, count);
#else
  if (has_cuda(edge_data_since)) return cudaGraphNodeGetDependencies_v2(node, nodes, data, count);
  return cudaGraphNodeGetDependencies(node, nodes, count);
#endif
}

inline cudaError_t read_dependent_nodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* data,
                                        std::size_t* count) {
#if CUDART_VERSION >= 13000
  return cudaGraphNodeGetDependentNodes(node, nodes, data, count);
#else
  if (has_cuda(edge_data_since)) return cudaGraphNodeGetDependentNodes_v2(node, nodes, data, count);
  return cudaGraphNodeGetDependentNodes(node, nodes, count);
#endif
}

inline cudaError_t add_plain_edge(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to) {
#if CUDART_VERSION >= 13000
  return cudaGraphAddDependencies(graph, &from, &to, nullptr, 1);
#else
  return cudaGraphAddDependencies(graph, &from, &to, 1);
#endif
}

// The graph that a capture has made so far; null unless the stream is capturing.
inline cudaError_t read_capture(cudaStream_t stream, cudaStreamCaptureStatus* status, cudaGraph_t* graph) {
#if CUDART_VERSION >= 13000
  return cudaStreamGetCaptureInfo(stream, status, nullptr, graph, nullptr, nullptr, nullptr);
#else
  return cudaStreamGetCaptureInfo_v2(stream, status, nullptr, graph, nullptr, nullptr);
#endif
}

#if CUDART_VERSION >= 12080
inline constexpr cudaGraphConditionalNodeType switch_node = cudaGraphCondTypeSwitch;
#else
inline constexpr cudaGraphConditionalNodeType switch_node{};  // require_cuda() refuses it
#endif

// Adds a node after what the stream has captured, and lets the capture go on after the node. Needs edge data.
inline cudaError_t add_captured_node(cudaStream_t stream, cudaGraph_t graph,
                                     cudaGraphNodeParams* parameters) {
  cudaStreamCaptureStatus status{};
  const cudaGraphNode_t* before = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  cudaGraphNode_t added = nullptr;
  constexpr auto set = cudaStreamSetCaptureDependencies;
#if CUDART_VERSION >= 13000
  cudaError_t code = cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &before, &edges, &count);
  if (code == cudaSuccess) code = cudaGraphAddNode(&added, graph, before, edges, count, parameters);
  if (code == cudaSuccess) code = cudaStreamUpdateCaptureDependencies(stream, &added, nullptr, 1, set);
#else
  cudaError_t code = cudaStreamGetCaptureInfo_v3(stream, &status, nullptr, nullptr, &before, &edges, &count);
  if (code == cudaSuccess) code = cudaGraphAddNode_v2(&added, graph, before, edges, count, parameters);
  if (code == cudaSuccess) code = cudaStreamUpdateCaptureDependencies_v2(stream, &added, nullptr, 1, set);
#endif
  return code;
}

}  // namespace graphbench::cuda
