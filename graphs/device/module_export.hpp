// What a backend module exports, for the module's one source file.
#pragma once

#include "graphbench_version.hpp"
#include "graphs/device/backend_module.hpp"

#define GRAPHBENCH_MODULE_EXPORT extern "C" __attribute__((visibility("default")))

// The module has its own identity text, because libgraphbench_device would return the binary's identity. A
// test checks that this text equals the text of graphs/device/device.cpp.
#if defined(__clang__)
#define GRAPHBENCH_MODULE_IDENTITY GRAPHBENCH_VERSION " clang " __clang_version__
#else
#define GRAPHBENCH_MODULE_IDENTITY GRAPHBENCH_VERSION " gcc " __VERSION__
#endif

// Exports the two functions that the registry looks up. `make` is an expression of type Backend*.
#define GRAPHBENCH_EXPORT_BACKEND(make)                                     \
  GRAPHBENCH_MODULE_EXPORT graphbench::Backend* graphbench_backend_open() { \
    return make;                                                            \
  }                                                                         \
  GRAPHBENCH_MODULE_EXPORT const char* graphbench_backend_identity() {      \
    return GRAPHBENCH_MODULE_IDENTITY;                                      \
  }
