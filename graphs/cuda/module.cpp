// The two functions that the registry looks up in the module.
#include "graphbench_version.hpp"
#include "graphs/cuda/cuda_backend.hpp"
#include "graphs/device/backend_module.hpp"

#define GRAPHBENCH_MODULE_EXPORT extern "C" __attribute__((visibility("default")))

GRAPHBENCH_MODULE_EXPORT graphbench::Backend* graphbench_backend_open() {
  return new graphbench::cuda::CudaBackend();
}

// Compiled into the module rather than asked of libgraphbench_device, whose answer would be the
// binary's own and always agree. Spelled as graphs/device/identity.cpp spells it; a test compares.
GRAPHBENCH_MODULE_EXPORT const char* graphbench_backend_identity() {
#if defined(__clang__)
  return GRAPHBENCH_VERSION " clang " __clang_version__;
#else
  return GRAPHBENCH_VERSION " gcc " __VERSION__;
#endif
}
