// Exports the two functions that the registry looks up in this module.
#include "graphbench_version.hpp"
#include "graphs/cuda/cuda_device.hpp"
#include "graphs/device/backend_module.hpp"

#define GRAPHBENCH_MODULE_EXPORT extern "C" __attribute__((visibility("default")))

GRAPHBENCH_MODULE_EXPORT graphbench::Backend* graphbench_backend_open() {
  return new graphbench::cuda::CudaBackend();
}

// The module has its own identity text, because libgraphbench_device would return the binary's identity. A
// test checks that this text equals the text of graphs/device/device.cpp.
GRAPHBENCH_MODULE_EXPORT const char* graphbench_backend_identity() {
#if defined(__clang__)
  return GRAPHBENCH_VERSION " clang " __clang_version__;
#else
  return GRAPHBENCH_VERSION " gcc " __VERSION__;
#endif
}
